from django.contrib import admin
from django.contrib.auth import views as auth
from django.templatetags.static import static
from django.urls import include, path
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _
from django.views.generic import RedirectView
from django.views.i18n import JavaScriptCatalog

from config import health

admin.site.site_title = admin.site.site_header = _("Frontdesk")
admin.site.index_title = _("Agents, conversations and people")

handler400 = "config.errors.bad_request"
handler403 = "config.errors.permission_denied"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"

urlpatterns = [
    path("", RedirectView.as_view(url="/chat/"), name="home"),
    path("favicon.ico", RedirectView.as_view(url=lazy(static, str)("conversations/img/mark.svg"))),
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("accounts/login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", auth.LogoutView.as_view(), name="logout"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("jsi18n/", JavaScriptCatalog.as_view(packages=["conversations"]), name="javascript-catalog"),
    path("admin/", admin.site.urls),
    path("", include("registry.urls")),
    path("", include("conversations.urls")),
]
