"""`manage.py test`: everything, by pytest. Whatever follows goes to pytest as it is."""

import os
import sys
from typing import NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand

# Everything takes minutes: on several cores at once. More than four only wait for each other's servers.
ALL = ["-q", "-n", "auto", "--maxprocesses", "4"]


class Command(BaseCommand):
    help = (
        "Runs the tests with pytest; arguments are pytest's, e.g. `manage.py test tests/registry -k publish`."
    )

    def run_from_argv(self, argv: list[str]) -> NoReturn:
        os.chdir(settings.BASE_DIR)
        chosen = argv[2:] or ALL
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *chosen])  # noqa: S606 - the same process goes on
