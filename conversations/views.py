"""The chat page: a shell that reads without JavaScript. What is live comes over the socket."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from conversations.models import Conversation, Run
from conversations.selectors import NotFoundError, Person, conversations_of, get_conversation
from orchestration.directory import Directory
from registry.selectors import directory_for

LISTED = 50
PREFILL_CHARS = 4_000
UNDER_WAY = (Run.Status.QUEUED, Run.Status.RUNNING, Run.Status.WAITING)


@login_required
@require_safe
@never_cache
def chat(request: HttpRequest, conversation_id: UUID | None = None) -> HttpResponse:
    """One conversation, or a new one. `?q=` fills the composer, `?agent=` chooses the agent."""
    user = request.user
    conversation = _conversation(user, conversation_id)
    directory = directory_for(user)
    listed = list(_with_busy(conversations_of(user))[: LISTED + 1])
    # A question from a link belongs to whoever follows it only once they have read and sent it.
    wanted = conversation.agent if conversation else request.GET.get("agent", "")
    context = {
        "conversation": conversation,
        "messages_shown": conversation.messages.order_by("position") if conversation else (),
        "conversations": listed[:LISTED],
        "has_older": len(listed) > LISTED,
        "agents": [entry.card for entry in directory],
        "chosen": wanted if wanted and directory.get(wanted) else "",
        "page_data": _page_data(directory, conversation, request.GET.get("q", "")),
    }
    return render(request, "conversations/chat.html", context)


def _conversation(user: Person, conversation_id: UUID | None) -> Conversation | None:
    if conversation_id is None:
        return None
    try:
        return get_conversation(user, conversation_id)
    except NotFoundError as error:
        raise Http404 from error


def _with_busy(conversations: QuerySet[Conversation]) -> QuerySet[Conversation]:
    runs = Run.objects.filter(conversation=OuterRef("pk"), status__in=UNDER_WAY)
    return conversations.annotate(is_busy=Exists(runs)).only("id", "title").order_by("-updated_at")


def _page_data(directory: Directory, conversation: Conversation | None, prefill: str) -> dict[str, Any]:
    """What the page's modules start from."""
    return {
        "agents": [
            entry.card.model_dump(mode="json", include={"name", "display_name", "examples"})
            for entry in directory
        ],
        "conversation": str(conversation.id) if conversation else None,
        "fallback": directory.fallback,
        "icons": static("conversations/img/icons.svg"),
        "max_input_chars": settings.MAX_INPUT_CHARS,
        "prefill": prefill[:PREFILL_CHARS],
    }
