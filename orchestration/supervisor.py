"""The supervisor: one question and one directory in, a stream of events out."""

from orchestration.answer import Answer
from orchestration.directory import Directory
from orchestration.events import RouteDecided, Sink
from orchestration.graph import build_graph, run_graph
from orchestration.language_models import LanguageModels
from orchestration.request import Environment, Outcome, RunRequest
from orchestration.routing.embedding import EmbedderFactory, character_ngrams
from orchestration.routing.router import Router
from orchestration.run import Run
from orchestration.transports.base import Transport
from orchestration.transports.http import HttpTransport
from orchestration.transports.inproc import InprocTransport


class Supervisor:
    """One per process and event loop; it keeps connections, indexes and the compiled graph between runs."""

    def __init__(self, environment: Environment, *, embedder: EmbedderFactory = character_ngrams) -> None:
        self._environment = environment
        self._router = Router(embedder)
        self._graph = build_graph()
        self._models = LanguageModels(environment.models)
        self._transports = _transports(environment, self._models)

    async def supervise(self, request: RunRequest, directory: Directory, sink: Sink) -> Outcome:
        """Answer `request`: route, delegate, and tell `sink` all of it.

        Whatever goes wrong with an agent ends in the outcome. Raises what the sink raises. Cancelling the
        caller's task closes every connection of the run at once and emits nothing more.
        """
        run = Run(
            request=request,
            directory=directory,
            sink=sink,
            environment=self._environment,
            transports=self._transports,
            router=self._router,
            answer=Answer(request.run_id, sink),
        )
        return await run_graph(self._graph, run)

    async def route(self, request: RunRequest, directory: Directory) -> RouteDecided:
        """A dry run: who would answer, and why. Calls nobody. Raises `AGENT_NOT_FOUND`."""
        return await self._router.route(request, directory)

    async def warm(self, directory: Directory) -> None:
        """Make ready, in threads, what routing over `directory` and asking a model need: seconds at first."""
        await self._router.warm(directory)
        await self._models.warm()

    async def aclose(self) -> None:
        """Close what is held between runs. Runs under way should have ended."""
        for transport in self._transports.values():
            await transport.aclose()
        await self._models.aclose()


def _transports(environment: Environment, models: LanguageModels) -> dict[str, Transport]:
    return {
        "http": HttpTransport(allow_private=environment.allow_private),
        "inproc": InprocTransport(environment.inproc_allowed, models),
    }
