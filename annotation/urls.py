from django.urls import path

from annotation.views import clips, manage, rater

urlpatterns = [
    path("r/<str:token>/", rater.landing, name="rater_landing"),
    path("r/<str:token>/rate/", rater.rate, name="rater_rate"),
    path("r/<str:token>/review/", rater.review, name="rater_review"),
    path("r/<str:token>/done/", rater.done, name="rater_done"),
    path("clips/<str:token>.mp4", clips.clip, name="clip"),
    path("clips/<str:token>.jpg", clips.poster, name="poster"),
    path("manage/", manage.manage_home, name="manage_home"),
    path("manage/<slug:code>/", manage.manage_study, name="manage_study"),
    path("manage/<slug:code>/stages/", manage.manage_stages, name="manage_stages"),
    path("manage/<slug:code>/samples/", manage.manage_samples, name="manage_samples"),
    path("manage/<slug:code>/samples/<int:pk>/", manage.manage_sample, name="manage_sample"),
    path("manage/<slug:code>/raters/", manage.manage_raters, name="manage_raters"),
    path("manage/<slug:code>/links/", manage.manage_link, name="manage_link"),
]
