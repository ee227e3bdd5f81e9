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

    def agent(self, request: Request, name: str) -> Agent:
        """The agent of that name. One that may not be reached does not exist."""
        found = reachable_agents(request.user).filter(name=name).first()
        if found is None:
            raise FrontdeskError(
                ErrorCode.AGENT_NOT_FOUND, _("There is no agent %s that you can reach.") % name
            )
        return found


class AgentList(AgentView):
    """`{results: [card]}` of every agent one may reach, by name."""

    def get(self, request: Request) -> Response:
        agents = reachable_agents(request.user)
        return Response({"results": [agent_json(agent, staff=request.user.is_staff) for agent in agents]})


class AgentDetail(AgentView):
    """The live card."""

    def get(self, request: Request, name: str) -> Response:
        return Response(agent_json(self.agent(request, name), staff=request.user.is_staff))


class VersionList(AgentView):
    """`{results: [version]}`, newest first; drafts are for staff."""

    def get(self, request: Request, name: str) -> Response:
        agent, staff = self.agent(request, name), request.user.is_staff
        versions = visible_versions(agent, staff=staff)
        return Response({"results": [version_json(version, agent, staff=staff) for version in versions]})


class VersionDetail(AgentView):
    """One version."""

    def get(self, request: Request, name: str, version: str) -> Response:
        agent, staff = self.agent(request, name), request.user.is_staff
        found = next((v for v in visible_versions(agent, staff=staff) if v.version == version), None)
        if found is None:
            raise FrontdeskError(
                ErrorCode.AGENT_NOT_FOUND,
                _("%(agent)s has no version %(version)s.") % {"agent": name, "version": version},
            )
        return Response(version_json(found, agent, staff=staff))


def visible_versions(agent: Agent, *, staff: bool) -> list[AgentVersion]:
    """Drafts are only for those who look after agents."""
    return list(versions_of(agent) if staff else versions_of(agent).published())
