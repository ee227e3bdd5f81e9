"""What the after-sales agent is told and tells: who asks, what is known so far, the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, time
from typing import Any

from frontdesk_agent.contract import Tool
from sample_agents.moments import Moment, Part
from sample_agents.speech import Language


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who is asking, in which conversation, in which language."""

    user_id: str
    session_id: str
    language: Language


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer in Markdown, and the tool call that it tells of."""

    text: str
    tool: Tool | None = None

    def as_dict(self) -> dict[str, Any]:
        """The reply as JSON-able data."""
        return {"text": self.text, "tool": self.tool.model_dump(mode="json") if self.tool else None}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Reply":
        return cls(str(data["text"]), Tool.model_validate(data["tool"]) if data["tool"] else None)


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known so far of what somebody wants. `intent` is book, move or cancel, or empty."""

    intent: str = ""
    number: str = ""
    day: date | None = None
    at: time | None = None
    part: Part | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Draft":
        return cls(
            intent=data.get("intent", ""),
            number=data.get("number", ""),
            day=date.fromisoformat(data["day"]) if data.get("day") else None,
            at=time.fromisoformat(data["at"]) if data.get("at") else None,
            part=data.get("part"),
        )

    def as_dict(self) -> dict[str, Any]:
        """The draft as JSON-able data; an empty draft is an empty dict."""
        fields = {
            "intent": self.intent,
            "number": self.number,
            "day": self.day.isoformat() if self.day else "",
            "at": self.at.isoformat() if self.at else "",
            "part": self.part or "",
        }
        return {name: value for name, value in fields.items() if value} if self.intent else {}

    def told(self, moment: Moment, number: str) -> "Draft":
        """The draft with what a further message says; a new part of the day makes an old time void."""
        part_only = moment.part is not None and moment.at is None
        return replace(
            self,
            number=number or self.number,
            day=moment.day or self.day,
            at=moment.at or (None if part_only else self.at),
            part=moment.part or (None if moment.at else self.part),
        )
