"""The few sentences the platform itself says, in the person's language."""

from typing import Final

from orchestration.directory import Directory

_ENGLISH: Final = {
    "empty": "{agent} finished without saying anything. Try asking in another way.",
    "nobody": "None of the agents here takes this question. Here you can ask:",
    "no_agents": "No agent can be reached here yet, so there is nobody to answer.",
    "item": "- **{agent}**: {capability}",
}
_CHINESE: Final = {
    "empty": "{agent} 已结束，但没有给出任何内容。请换一种问法再试。",
    "nobody": "这里没有智能体能回答这个问题。您可以问：",
    "no_agents": "这里还没有可用的智能体，所以没有人能回答。",
    "item": "- **{agent}**：{capability}",
}
_LISTED: Final = 12


def phrase(locale: str, key: str, **values: str) -> str:
    """The sentence `key` in `locale` (`en` or `zh-hans`; anything else reads English)."""
    table = _CHINESE if locale.lower().startswith("zh") else _ENGLISH
    return table[key].format(**values)


def what_can_be_asked(locale: str, directory: Directory) -> str:
    """Said when nobody answers: that nobody does, and whom one can ask for what."""
    if not len(directory):
        return phrase(locale, "no_agents")
    cards = [entry.card for entry in directory][:_LISTED]
    items = [
        phrase(locale, "item", agent=card.display_name, capability=next(iter(card.capabilities), ""))
        for card in cards
    ]
    return "\n".join([phrase(locale, "nobody"), "", *items])
