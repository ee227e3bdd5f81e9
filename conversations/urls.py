from django.urls import include, path

urlpatterns = [
    path("", include("conversations.page_urls")),
    path("api/v1/", include("conversations.api.urls")),
]
