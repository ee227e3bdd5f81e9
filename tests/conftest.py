"""What tests share: a browser, and the real product as a process of its own."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from django.contrib.auth.models import User
from django.db import connection
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request
from pytest_django import DjangoDbBlocker

ROOT = Path(__file__).resolve().parents[1]
PASSWORD = "correct horse battery"
CHROMIUM = os.environ.get("CHROMIUM_PATH") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
CHROMIUM_FLAGS = [
    "--no-sandbox",  # root in a container
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-domain-reliability",
    "--no-proxy-server",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
]
START_TIMEOUT_S = 60


# What this machine lacks is skipped loudly, or refused where it must be there.


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Last: Playwright's sync API leaves a loop running in this thread, beside which no async test can run.
    items.sort(key=in_browser)
    drives_browser = [item for item in items if in_browser(item)]
    if CHROMIUM or not drives_browser:
        return
    if os.environ.get("BROWSER_TESTS") == "required":
        pytest.exit(
            "BROWSER_TESTS=required, but there is no Chromium: apt-get install chromium", returncode=3
        )
    for item in drives_browser:
        item.add_marker(pytest.mark.skip(reason="no Chromium"))
    config.stash[SKIPPED] = len(drives_browser)


def pytest_itemcollected(item: pytest.Item) -> None:
    if touches_database(item):
        item.add_marker("database")


def in_browser(item: pytest.Item) -> bool:
    return item.get_closest_marker("browser") is not None or "playwright" in getattr(item, "fixturenames", ())


def touches_database(item: pytest.Item) -> bool:
    """Whether it is worth running on another database; sites have one of their own."""
    fixtures = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or bool({"db", "transactional_db"} & fixtures)


SKIPPED = pytest.StashKey[int]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if skipped := config.stash.get(SKIPPED, 0):
        terminalreporter.write_sep(
            "!", f"{skipped} browser tests did not run: no Chromium", red=True, bold=True
        )


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """A PostgreSQL database for processes; without one, the test is skipped (REQUIRE_SERVICES=1: fails)."""
    import psycopg

    url = os.environ.get("TEST_POSTGRES_URL", "postgres://root@127.0.0.1:5432/test")
    try:
        psycopg.connect(url, connect_timeout=3).close()
    except psycopg.OperationalError as error:
        if os.environ.get("REQUIRE_SERVICES"):
            pytest.fail(f"REQUIRE_SERVICES is set, but PostgreSQL does not answer: {error}")
        pytest.skip("no PostgreSQL")
    return url


# The database


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    tmp_path_factory: pytest.TempPathFactory, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """A file: the threads of a server share its locks as they do in the product, a memory database's not."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("db") / "test.sqlite3")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """PostgreSQL does not drop a database that a pool, or the thread of an async test, still holds open."""
    yield
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        connection.close()
        connection.close_pool()


# People


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice", password=PASSWORD)


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob", password=PASSWORD)


# The product as a process


@dataclass
class Site:
    """`manage.py demo` on a free port, with a database of its own. Logins: admin, alice, bob; `password`."""

    data_dir: Path
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    password: str = PASSWORD
    url: str = ""
    process: subprocess.Popen[str] | None = None
    output: list[str] = field(default_factory=list)

    def start(self) -> "Site":
        """Returns once the process has said that it is ready, which it says after `/readyz` did."""
        with one_after_the_other():
            return self._start()

    def _start(self) -> "Site":
        password = ("--password", self.password) if self.password else ()
        command = ["demo", "--port", self._port, *password, *self.arguments]
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        ready = threading.Event()
        self.output.clear()
        threading.Thread(target=self._follow, args=(self.process, ready), daemon=True).start()
        if not ready.wait(START_TIMEOUT_S) or self.process.poll() is not None:
            self.kill()
            raise RuntimeError("The site did not start:\n" + "".join(self.output[-60:]))
        return self

    @property
    def env(self) -> dict[str, str]:
        inherited = {
            name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "DEBUG")
        }
        own = {"DATA_DIR": str(self.data_dir), "FRONTDESK_PREPARED": "1", "LOG_FORMAT": "json"}
        return {**inherited, **own, **self.environment}

    @property
    def _port(self) -> str:
        """A restarted site keeps its address."""
        return str(urlsplit(self.url).port or 0)

    def _follow(self, process: subprocess.Popen[str], ready: threading.Event) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.output.append(line)
            if line.startswith("Frontdesk is ready at "):
                self.url = line.split()[-1]
            elif line.startswith("Ctrl+C"):
                ready.set()
        ready.set()

    def stop(self) -> None:
        """SIGTERM, and wait."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    def kill(self) -> None:
        """SIGKILL: nothing is cleaned up."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(30)

    def manage(self, *arguments: str) -> str:
        """Another command over the same database; its output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def publish(self, *cards: str) -> None:
        """Imports and publishes cards, given as YAML."""
        folder = self.data_dir / "cards"
        folder.mkdir(exist_ok=True)
        path = folder / f"{len(list(folder.iterdir()))}.yaml"
        path.write_text("\n---\n".join(cards), encoding="utf-8")
        self.manage("import_cards", str(path), "--publish", "--allow-secrets", "--skip-checks")

    @contextmanager
    def client(self, name: str) -> Iterator[httpx.Client]:
        """An HTTP client logged in as `name`, with a CSRF token that fits."""
        with httpx.Client(base_url=self.url, trust_env=False, timeout=30) as client:
            client.get("/accounts/login/")
            form = {"username": name, "password": self.password}
            form["csrfmiddlewaretoken"] = client.cookies["csrftoken"]
            answer = client.post("/accounts/login/", data=form)
            assert answer.status_code == 302, answer.text
            client.headers["X-CSRFToken"] = client.cookies["csrftoken"]
            client.headers["Referer"] = self.url
            yield client


@contextmanager
def one_after_the_other() -> Iterator[None]:
    """Sites that start together, in parallel test runs, would find the same ports of sample agents free."""
    with (Path(tempfile.gettempdir()) / f"frontdesk-tests-{os.getuid()}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


SiteFactory = Callable[..., Site]


@pytest.fixture(scope="session")
def make_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteFactory]:
    """`make_site(agents=False, **environment)` starts a site of its own; all are ended with the session."""
    with ExitStack() as stack:

        def make(*, agents: bool = False, **environment: str) -> Site:
            arguments = () if agents else ("--no-agents",)
            site = Site(tmp_path_factory.mktemp("site"), arguments, environment)
            stack.callback(site.stop)
            return site.start()

        yield make


@pytest.fixture(scope="session")
def site(make_site: SiteFactory) -> Site:
    """One site with the sample agents, for tests that leave it usable for others."""
    return make_site(agents=True)


# The browser


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    # Playwright's sync API keeps an event loop in this thread, which Django would refuse to work beside.
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": CHROMIUM_FLAGS}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "locale": "en-US", "viewport": {"width": 1280, "height": 800}}


class Watch:
    """Everything a page did that it must not do: see `complaints`."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self._origin = urlsplit(url)._replace(path="", query="", fragment="")
        self.complaints: list[str] = []
        context.on("console", self._console)
        context.on("weberror", lambda error: self.complaints.append(f"page error: {error.error}"))
        context.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        asked = urlsplit(request.url)
        if asked.scheme not in ("data", "blob", "about") and asked.netloc != self._origin.netloc:
            self.complaints.append(f"request to another origin: {request.url}")


OpenAs = Callable[..., Page]


@pytest.fixture
def open_as(new_context: Callable[..., BrowserContext], browser: Browser) -> Iterator[OpenAs]:
    """`open_as(site, "alice", path="/chat/", **context)`: a page of a logged-in person, in an own browser.

    At the end no page may have logged a console error, thrown, or asked another origin for anything.
    """
    watches: list[Watch] = []

    def open_page(site: Site, name: str, path: str = "/chat/", **options: Any) -> Page:
        context = new_context(base_url=site.url, **options)
        watches.append(Watch(context, site.url))
        with site.client(name) as client:
            cookies = [{"name": c.name, "value": c.value or "", "url": site.url} for c in client.cookies.jar]
        context.add_cookies(cookies)  # type: ignore[arg-type] # the TypedDict has only optional keys
        page = context.new_page()
        page.goto(path)
        return page

    yield open_page
    assert [complaint for watch in watches for complaint in watch.complaints] == []
