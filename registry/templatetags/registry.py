"""Links from cards to where they lead."""

from urllib.parse import urlencode

from django import template

register = template.Library()


@register.simple_tag
def ask_url(agent: str, question: str = "") -> str:
    """The chat page with `question` ready to be sent to `agent`."""
    return "/chat/?" + urlencode({"q": question, "agent": agent} if question else {"agent": agent})
