"""The tiers in order: the first that is sure decides."""

import asyncio
import time
from collections import OrderedDict
from typing import Final

from orchestration.directory import Directory
from orchestration.events import RouteDecided
from orchestration.request import RunRequest
from orchestration.routing import addressed, guessed
from orchestration.routing.decision import Decision, Question
from orchestration.routing.embedding import EmbedderFactory, character_ngrams
from orchestration.routing.index import Index

_KEPT: Final = 16
_ADDRESSED: Final = (addressed.pending, addressed.mention, addressed.chosen)
_GUESSED: Final = (guessed.keyword, guessed.similarity, guessed.follow_up)

_Key = tuple[tuple[tuple[str, str], ...], str | None]


class Router:
    """Decides who answers. Belongs to one event loop; keeps the indexes of the last few directories."""

    def __init__(self, embedder: EmbedderFactory = character_ngrams) -> None:
        self._embedder = embedder
        self._indexes: OrderedDict[_Key, asyncio.Task[Index]] = OrderedDict()

    async def route(self, request: RunRequest, directory: Directory) -> RouteDecided:
        """Who answers `request`, and why. Raises `AGENT_NOT_FOUND` for an unknown addressee."""
        began = time.monotonic()
        decision = await self._decide(request, directory)
        return RouteDecided(
            tier=decision.tier,
            mode=decision.mode,
            agents=[{"agent": agent, "task": decision.task or request.input} for agent in decision.agents],
            reason=decision.reason,
            confidence=decision.confidence,
            candidates=[{"agent": found.agent, "score": found.score} for found in decision.candidates],
            duration_ms=round((time.monotonic() - began) * 1000),
        )

    async def warm(self, directory: Directory) -> None:
        """Make ready what routing over `directory` needs; the first question then need not wait for it."""
        await self._index(directory)

    async def _decide(self, request: RunRequest, directory: Directory) -> Decision:
        for tier in _ADDRESSED:
            if decision := tier(request, directory):
                return decision
        question = Question(request, directory, await self._index(directory))
        for guess in _GUESSED:
            if decision := guess(question):
                return decision
        return guessed.fallback(question)

    async def _index(self, directory: Directory) -> Index:
        """The directory's index; built once, however many ask for it or give up meanwhile."""
        key = (directory.fingerprint, directory.fallback)
        task = self._indexes.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = asyncio.create_task(asyncio.to_thread(Index, directory, self._embedder))
            self._indexes[key] = task
            while len(self._indexes) > _KEPT:
                self._indexes.popitem(last=False)
        self._indexes.move_to_end(key)
        return await asyncio.shield(task)
