"""Texts that grow side by side, told one after the other."""

from typing import Final

PARAGRAPH: Final = "\n\n"


class Turns:
    """Who speaks first has the floor until they end; the others' words wait.

    A graph may let several models speak at once, and their tokens must not be mixed into one another. Each
    message is set off from the one before by a blank line. `text` is all that was told so far.
    """

    def __init__(self) -> None:
        self.text = ""
        self.messages: set[str] = set()
        self._last: str | None = None
        self._floor: str | None = None
        self._waiting: dict[str, list[tuple[str, str]]] = {}
        self._ended: set[str] = set()

    def add(self, speaker: str, message: str, text: str) -> list[str]:
        """More of `message` by `speaker`: the pieces to tell now."""
        self.messages.add(message)
        self._ended.discard(speaker)
        if self._floor is None:
            self._floor = speaker
        if speaker != self._floor:
            self._waiting.setdefault(speaker, []).append((message, text))
            return []
        return self._tell(message, text)

    def end(self, speaker: str) -> list[str]:
        """`speaker` has ended: the pieces that may be told now."""
        if speaker != self._floor:
            self._ended.add(speaker)
            return []
        pieces: list[str] = []
        self._floor = None
        while self._waiting and self._floor is None:
            following = next(iter(self._waiting))
            pieces += self._release(following)
            self._floor = None if following in self._ended else following
        return pieces

    def finish(self) -> list[str]:
        """Everybody has ended: the pieces that still waited."""
        return [piece for speaker in list(self._waiting) for piece in self._release(speaker)]

    def _release(self, speaker: str) -> list[str]:
        return [piece for held in self._waiting.pop(speaker) for piece in self._tell(*held)]

    def _tell(self, message: str, text: str) -> list[str]:
        pieces = [PARAGRAPH, text] if self.text and message != self._last else [text]
        self._last = message
        self.text += "".join(pieces)
        return pieces
