from django.urls import path

from metaeval.views import analyses, preregistrations, report_files, report_tables, research

urlpatterns = [
    path("research/", research.research_home, name="research_home"),
    path("research/analyses/compare/", analyses.research_compare, name="research_compare"),
    path("research/analyses/<int:pk>/", analyses.research_analysis, name="research_analysis"),
    path("research/analyses/<int:pk>/cancel/", analyses.research_analysis_cancel, name="research_analysis_cancel"),
    path("research/analyses/<int:pk>/retry/", analyses.research_analysis_retry, name="research_analysis_retry"),
    path("research/analyses/<int:pk>/out.zip", report_files.out_zip, name="research_out_zip"),
    path("research/analyses/<int:pk>/report.html", report_files.report_html, name="research_report_html"),
    path("research/analyses/<int:pk>/files/<path:name>", report_files.report_file, name="research_report_file"),
    path("research/analyses/<int:pk>/statistics/", report_tables.research_statistics, name="research_statistics"),
    path("research/analyses/<int:pk>/tables/<str:name>/", report_tables.research_listing, name="research_listing"),
    path("research/samples/<int:pk>/", research.research_sample, name="research_sample"),
    path("research/<slug:code>/", research.research_study, name="research_study"),
    path("research/<slug:code>/analyses/new/", analyses.analysis_new, name="analysis_new"),
    path(
        "research/<slug:code>/preregistrations/",
        preregistrations.research_preregistrations,
        name="research_preregistrations",
    ),
]
