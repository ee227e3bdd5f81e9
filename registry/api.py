"""The REST API of the registry: agents one may reach, and their versions. To read, for now."""

from django.utils.translation import gettext as _
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from registry.models import Agent, AgentVersion
from registry.representation import agent_json, version_json
from registry.selectors import reachable_agents, versions_of


class AgentView(APIView):
    permission_classes = [IsAuthenticated]

    def agent(self, name: str) -> Agent:
        """The agent of that name. One that may not be reached does not exist."""
        found = reachable_agents(self.request.user).filter(name=name).first()
        if found is None:
            raise _not_there(name)
        return found

    @property
    def insider(self) -> bool:
        """Whether the reader may see how agents are called, and their drafts."""
        return bool(self.request.user.has_perm("registry.view_agent"))

    def versions(self, agent: Agent) -> list[AgentVersion]:
        """Drafts are only for those who look after agents."""
        return list(versions_of(agent) if self.insider else versions_of(agent).published())


class AgentList(AgentView):
    """`{results: [card]}` of every agent one may reach, by name."""

    def get(self, request: Request) -> Response:
        cards = (agent_json(agent, insider=self.insider) for agent in reachable_agents(request.user))
        return Response({"results": [card for card in cards if card]})


class AgentDetail(AgentView):
    """The live card."""

    def get(self, request: Request, name: str) -> Response:
        card = agent_json(self.agent(name), insider=self.insider)
        if card is None:
            raise _not_there(name)
        return Response(card)


class VersionList(AgentView):
    """`{results: [version]}`, newest first; drafts are for those who may view agents."""

    def get(self, request: Request, name: str) -> Response:
        agent = self.agent(name)
        shown = [version_json(version, agent, insider=self.insider) for version in self.versions(agent)]
        return Response({"results": shown})


class VersionDetail(AgentView):
    """One version."""

    def get(self, request: Request, name: str, version: str) -> Response:
        agent = self.agent(name)
        found = next((v for v in self.versions(agent) if v.version == version), None)
        if found is None:
            raise FrontdeskError(
                ErrorCode.AGENT_NOT_FOUND,
                _("%(agent)s has no version %(version)s.") % {"agent": name, "version": version},
            )
        return Response(version_json(found, agent, insider=self.insider))


def _not_there(name: str) -> FrontdeskError:
    return FrontdeskError(ErrorCode.AGENT_NOT_FOUND, _("There is no agent %s that you can reach.") % name)
