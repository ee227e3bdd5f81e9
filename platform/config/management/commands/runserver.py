"""Django's development server, on daphne: the chat page needs sockets."""

from daphne.management.commands.runserver import Command

__all__ = ["Command"]
