from django.urls import path

from metaeval.views import research

urlpatterns = [
    path("research/", research.research_home, name="research_home"),
    path("research/analyses/<int:pk>/", research.research_analysis, name="research_analysis"),
    path("research/samples/<int:pk>/", research.research_sample, name="research_sample"),
    path("research/<slug:code>/", research.research_study, name="research_study"),
    path("research/<slug:code>/analyses/", research.analysis_new, name="analysis_new"),
]
