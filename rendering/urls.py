from django.urls import path

from rendering import views

urlpatterns = [
    path("staff/clips/<int:pk>.mp4", views.staff_clip, name="staff_clip"),
    path("staff/clips/<int:pk>.jpg", views.staff_poster, name="staff_poster"),
    path("staff/clips/<int:pk>-strip.jpg", views.staff_strip, name="staff_strip"),
    path("staff/clips/<int:pk>.webp", views.staff_preview, name="staff_preview"),
    path("staff/clips/<int:pk>/", views.staff_player, name="staff_player"),
    path("rendering/body/<str:version>.bin", views.body_mesh, name="body_mesh"),
    path("rendering/motions/<int:pk>/bones.bin", views.motion_bones, name="motion_bones"),
]
