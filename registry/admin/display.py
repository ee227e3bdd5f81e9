"""Columns and badges: every state is a word first, and a colour second."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from registry.models import Agent


def badge(kind: str, text: str, title: str = "") -> SafeString:
    """`kind` is ok, bad, warn, draft or quiet."""
    return format_html('<span class="fd-badge fd-{}" title="{}">{}</span>', kind, title, text)


def health_badge(agent: Agent) -> SafeString:
    """Healthy with its latency, failing with why, or not probed; and how long ago."""
    if agent.health_checked_at is None:
        return badge("quiet", _("Not probed"))
    ago = _("%s ago") % timesince(agent.health_checked_at, depth=1)
    title = f"{agent.health_detail} ({ago})" if agent.health_detail else ago
    if not agent.health_ok:
        return badge("bad", _("Failing"), title)
    if agent.health_latency_ms is None:
        return badge("ok", _("Healthy"), title)
    return badge("ok", _("Healthy, %s ms") % agent.health_latency_ms, title)


class Columns:
    """The changelist's columns. `newest_draft` and `draft_title` are annotations of its queryset."""

    @admin.display(description=gettext_lazy("agent, tags"), ordering="name")
    def title_column(self, agent: Any) -> SafeString:
        title = agent.live.display_name if agent.live else agent.draft_title or ""
        tags = format_html_join(
            " ", '<span class="fd-tag">{}</span>', ((tag.name,) for tag in agent.tags.all())
        )
        return format_html('<strong>{}</strong> <span class="fd-sub">{}</span> {}', agent.name, title, tags)

    @admin.display(description=gettext_lazy("live version"), ordering="live__precedence")
    def live_column(self, agent: Any) -> SafeString:
        live = badge("ok", agent.live.version) if agent.live else badge("quiet", _("none"))
        if not agent.newest_draft:
            return live
        return format_html("{} {}", live, badge("draft", _("draft %s") % agent.newest_draft))

    @admin.display(description=gettext_lazy("health"), ordering="health_ok")
    def health_column(self, agent: Agent) -> SafeString:
        return health_badge(agent)

    @admin.display(description=gettext_lazy("owner, team"), ordering="owner")
    def owner_column(self, agent: Agent) -> SafeString:
        login = agent.owner_user.get_username() if agent.owner_user else ""
        others = " · ".join(str(name) for name in (login, agent.team) if name and name != agent.owner)
        name, at, domain = agent.owner.partition("@")
        return format_html('{}<wbr>{} <span class="fd-sub">{}</span>', name, at + domain, others)
