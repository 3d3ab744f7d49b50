from django.urls import path

from rendering import views

urlpatterns = [
    path("staff/clips/<int:pk>.mp4", views.staff_clip, name="staff_clip"),
    path("staff/clips/<int:pk>.jpg", views.staff_poster, name="staff_poster"),
    path("staff/clips/<int:pk>/", views.staff_player, name="staff_player"),
]
