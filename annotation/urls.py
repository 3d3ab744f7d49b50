from django.urls import path

from annotation.views import clips, manage, motions, queue, rater

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
    path("manage/<slug:code>/motions/", motions.manage_motions, name="manage_motions"),
    path("manage/<slug:code>/clips/", queue.manage_queue, name="manage_queue"),
    path("manage/<slug:code>/clips/now/", queue.manage_queue_now, name="manage_queue_now"),
    path("manage/<slug:code>/clips/ended/", queue.manage_queue_ended, name="manage_queue_ended"),
    path("manage/<slug:code>/clips/waiting/", queue.manage_queue_waiting, name="manage_queue_waiting"),
    path("manage/<slug:code>/clips/make/", queue.manage_queue_make, name="manage_queue_make"),
    path("manage/<slug:code>/clips/retry/", queue.manage_queue_retry, name="manage_queue_retry"),
    path("manage/<slug:code>/clips/cancel/", queue.manage_queue_cancel, name="manage_queue_cancel"),
    path(
        "manage/<slug:code>/clips/cancel-waiting/",
        queue.manage_queue_cancel_waiting,
        name="manage_queue_cancel_waiting",
    ),
    path("manage/<slug:code>/raters/", manage.manage_raters, name="manage_raters"),
    path("manage/<slug:code>/links/", manage.manage_link, name="manage_link"),
]
