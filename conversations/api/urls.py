from django.urls import path

from conversations.api import streams, views

urlpatterns = [
    path("conversations/", views.Conversations.as_view(), name="api-conversations"),
    path("conversations/<str:conversation>/", views.ConversationDetail.as_view(), name="api-conversation"),
    path("conversations/<str:conversation>/messages/", views.Messages.as_view(), name="api-messages"),
    path("conversations/<str:conversation>/runs/", streams.runs, name="api-runs"),
    path("runs/<str:run>/", views.RunDetail.as_view(), name="api-run"),
    path("runs/<str:run>/events/", streams.events, name="api-run-events"),
    path("runs/<str:run>/delegations/", views.RunDelegations.as_view(), name="api-run-delegations"),
    path("runs/<str:run>/cancel/", views.RunCancel.as_view(), name="api-run-cancel"),
    path("runs/<str:run>/retry/", views.RunRetry.as_view(), name="api-run-retry"),
    path("route/", views.Route.as_view(), name="api-route"),
]
