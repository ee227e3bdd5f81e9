"""The ASGI application: `daphne config.asgi:application` or `uvicorn config.asgi:application`."""

import os
import sys
from typing import Any, cast

from django.core.asgi import get_asgi_application
from django.core.exceptions import ImproperlyConfigured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
try:
    pages = get_asgi_application()
except ImproperlyConfigured as error:
    sys.exit(f"Frontdesk does not start: {error}")

# Models can be imported from here on.
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import SessionMiddlewareStack
from django.urls import re_path

from config.checks import refuse_wrong_settings
from config.lifecycle import Application, Lifecycle, Message, Receive, Send
from conversations import runner
from conversations.routing import websocket_urlpatterns


async def no_such_socket(_scope: Message, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.close", "code": 4404})


refuse_wrong_settings()
# Whose socket it may be is decided by the consumer, which can say why: a refused handshake tells nothing.
routes: list[Any] = [*websocket_urlpatterns, re_path("", cast("Any", no_such_socket))]
served = ProtocolTypeRouter({"http": pages, "websocket": SessionMiddlewareStack(URLRouter(routes))})
application = Lifecycle(cast("Application", served), start=runner.ensure_started, stop=runner.shutdown)
