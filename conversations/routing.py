from typing import Any, cast

from django.urls import URLPattern, path

from conversations.consumers import ChatConsumer

# Channels routes ASGI applications with Django's patterns; Django's types know only views.
websocket_urlpatterns: list[URLPattern] = [
    path("ws/chat/<str:conversation>/", cast("Any", ChatConsumer.as_asgi()))
]
