from django.urls import URLPattern, URLResolver, path

from registry import api, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("agents/", views.agents, name="agents"),
    path("agents/<slug:name>/", views.agent, name="agent"),
    path("api/v1/agents/", api.AgentList.as_view(), name="api-agents"),
    path("api/v1/agents/<slug:name>/", api.AgentDetail.as_view(), name="api-agent"),
    path("api/v1/agents/<slug:name>/versions/", api.VersionList.as_view(), name="api-agent-versions"),
    path(
        "api/v1/agents/<slug:name>/versions/<str:version>/",
        api.VersionDetail.as_view(),
        name="api-agent-version",
    ),
]
