"""The chat page's addresses."""

from django.urls import path

from conversations import views

urlpatterns = [
    path("chat/", views.chat, name="chat"),
    path("chat/<uuid:conversation_id>/", views.chat, name="conversation"),
]
