"""REST over JSON. Each view names the person, calls one selector or service, and shows the result."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import get_language
from rest_framework import status
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from conversations import runner as runners
from conversations import selectors, services
from conversations.api.reading import body_of, question_of
from conversations.events import fields_of
from conversations.models import Delegation
from conversations.representation import conversation_json, delegation_json, message_json
from frontdesk_agent.text import clean


def person(request: Request) -> AbstractBaseUser:
    assert isinstance(request.user, AbstractBaseUser)  # noqa: S101 - IsAuthenticated let it through
    return request.user


class Pages(CursorPagination):
    """`{results, next}`; `next` is the `?cursor=` of the next page, or null."""

    page_size = 50
    max_page_size = 200
    page_size_query_param = "limit"
    ordering = ("-updated_at", "-id")

    def get_paginated_response(self, data: Any) -> Response:
        link = self.get_next_link()
        cursor = parse_qs(urlsplit(link).query)["cursor"][0] if link else None
        return Response({"results": data, "next": cursor})


class Conversations(APIView):
    """GET one's conversations, the latest first, `?q=` in their titles; POST `{agent?, title?}` a new one."""

    def get(self, request: Request) -> Response:
        found = selectors.conversations_of(person(request))
        if query := clean(request.query_params.get("q", "")).strip():
            found = found.filter(title__icontains=query)
        pages = Pages()
        page = pages.paginate_queryset(selectors.with_latest_run(found), request, self) or []
        return pages.get_paginated_response([self._item(conversation) for conversation in page])

    def post(self, request: Request) -> Response:
        body = body_of(request.data, frozenset({"agent", "title"}))
        made = services.create_conversation(
            user=person(request), agent=body.get("agent"), title=body.get("title", "")
        )
        return Response(conversation_json(made), status.HTTP_201_CREATED)

    @staticmethod
    def _item(conversation: Any) -> dict[str, Any]:
        shown = conversation_json(conversation)
        del shown["context"]
        run_id = conversation.latest_run_id
        run = {"id": str(run_id), "status": conversation.latest_run_status} if run_id else None
        return {**shown, "run": run}


class ConversationDetail(APIView):
    """GET one (with `?state=1` all that was said and done); PATCH `title`, `agent`, `context`; DELETE."""

    def get(self, request: Request, conversation: str) -> Response:
        found = selectors.get_conversation(person(request), conversation)
        shown = conversation_json(found)
        if request.query_params.get("state"):
            shown["state"] = selectors.snapshot(found)
        return Response(shown)

    def patch(self, request: Request, conversation: str) -> Response:
        changes = body_of(request.data, frozenset({"title", "agent", "context"}))
        changed = services.update_conversation(
            user=person(request), conversation_id=conversation, changes=changes
        )
        return Response(conversation_json(changed))

    def delete(self, request: Request, conversation: str) -> Response:
        services.delete_conversation(user=person(request), conversation_id=conversation)
        return Response(status=status.HTTP_204_NO_CONTENT)


class Messages(APIView):
    """GET what was said, in order."""

    def get(self, request: Request, conversation: str) -> Response:
        found = selectors.get_conversation(person(request), conversation)
        messages = found.messages.order_by("position")
        return Response({"results": [message_json(message) for message in messages]})


class Runs(APIView):
    """GET a conversation's runs, oldest first; POST `{input, agent?, context?, client_id?}` starts one."""

    def get(self, request: Request, conversation: str) -> Response:
        found = selectors.get_conversation(person(request), conversation)
        return Response({"results": selectors.runs_view(found)})

    def post(self, request: Request, conversation: str) -> Response:
        question = question_of(request.data, request._request)  # noqa: SLF001 - DRF's documented way
        runner = runners.current()
        started = runner.submit(
            runner.start(user=person(request), conversation_id=conversation, question=question)
        )
        known = started.event is None
        code = status.HTTP_200_OK if known else status.HTTP_201_CREATED
        return Response(selectors.run_view(started.run_id), code)


class RunDetail(APIView):
    """GET a run with its delegations."""

    def get(self, request: Request, run: str) -> Response:
        return Response(selectors.run_view(selectors.get_run(person(request), run).pk))


class RunDelegations(APIView):
    """GET a run's delegations, in the order they began."""

    def get(self, request: Request, run: str) -> Response:
        found = selectors.get_run(person(request), run)
        rows = Delegation.objects.filter(run=found).order_by("started_at", "position")
        return Response({"results": [delegation_json(row) for row in rows]})


class RunCancel(APIView):
    """POST stops a run; answered once its rows are final. An ended run stays as it is."""

    def post(self, request: Request, run: str) -> Response:
        runner = runners.current()
        stopped = runner.submit(runner.cancel(user=person(request), run_id=run))
        return Response(selectors.run_view(stopped.pk), status.HTTP_202_ACCEPTED)


class RunRetry(APIView):
    """POST `{delegation_id?}` asks the same message again, as a new run."""

    def post(self, request: Request, run: str) -> Response:
        body = body_of(request.data or {}, frozenset({"delegation_id"}))
        runner = runners.current()
        started = runner.submit(
            runner.retry(
                user=person(request),
                run_id=run,
                delegation_id=body.get("delegation_id"),
                locale=get_language() or settings.LANGUAGE_CODE,
            )
        )
        return Response(selectors.run_view(started.run_id), status.HTTP_201_CREATED)


class Route(APIView):
    """POST `{input, conversation?, context?, agent?}`: who would answer, and why. Calls nobody."""

    def post(self, request: Request) -> Response:
        body = body_of(request.data, frozenset({"input", "conversation", "context", "agent"}))
        asked = question_of({key: body[key] for key in body if key != "conversation"}, request._request)  # noqa: SLF001 - DRF's documented way
        runner = runners.current()
        decision = runner.submit(
            runner.route(user=person(request), question=asked, conversation_id=body.get("conversation"))
        )
        return Response(fields_of(decision))
