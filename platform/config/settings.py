"""Every setting is an environment variable (or a line of `.env`), read once, here. The README lists them."""

from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from config.env import Env, embedded_secret_key

BASE_DIR = Path(__file__).resolve().parents[2]
env = Env()
Env.read_env(BASE_DIR / ".env")

DEBUG = env.bool("DEBUG", default=False)
DATA_DIR = Path(env.str("DATA_DIR", default="") or BASE_DIR / ".data").absolute()

# Database. Connections are the pool's on PostgreSQL, and never outlive a unit of work.
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.database("DATABASE_URL", default=DATA_DIR / "frontdesk.sqlite3")
}
DATABASES["default"]["CONN_MAX_AGE"] = 0
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True  # the pool outlives a restart of the database
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",  # a deferred one that reads and then writes fails at once under load
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = {
        "min_size": 1,
        "max_size": env.int("DATABASE_POOL_SIZE", default=16),
        "timeout": 10,
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Who may come in, and from where
SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    if not DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        raise ImproperlyConfigured("Set SECRET_KEY: all processes that share a database must share one key.")
    SECRET_KEY = embedded_secret_key(DATA_DIR)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
HTTPS = env.bool("HTTPS", default=False)
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "config.errors.csrf_failure"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/chat/"
LOGOUT_REDIRECT_URL = LOGIN_URL
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

INSTALLED_APPS = [
    "config",
    "registry",
    "conversations",
    "rest_framework",
    "csp",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "config.middleware.ApiErrors",
    "csp.middleware.CSPMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.parsers.BoundedJSONParser"],
    "EXCEPTION_HANDLER": "config.errors.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

# Language, time
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "conversations" / "locale"]
USE_TZ = True
TIME_ZONE = env.time_zone("TIME_ZONE", default="UTC")

# Static files come straight from the source tree; a busy site collects them once and sets STATIC_COLLECTED.
STATIC_COLLECTED = env.bool("STATIC_COLLECTED", default=False)
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static" if STATIC_COLLECTED else None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "config.static.CollectedStorage"
        if STATIC_COLLECTED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not STATIC_COLLECTED
WHITENOISE_MAX_AGE = 0  # names without a content hash are asked for again; hashed ones are kept for ever

# Logs
LOG_LEVEL = env.choice("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), default="INFO")
LOG_FORMAT = env.choice("LOG_FORMAT", ("auto", "json", "console"), default="auto")
LOGGING_CONFIG = "config.logging.configure"
LOGGING = {"level": LOG_LEVEL, "format": LOG_FORMAT}

# Orchestration
INPROC_ALLOWED = env.list("INPROC_ALLOWED", default=["sample_agents."])
ALLOW_PRIVATE_ADDRESSES = env.bool("ALLOW_PRIVATE_ADDRESSES", default=False)
SECRETS_DIR = env.str("SECRETS_DIR", default="")
FORWARD_HEADERS = env.list("FORWARD_HEADERS", default=[])
FALLBACK_AGENT = env.str("FALLBACK_AGENT", default="general_agent")

# Language models
OPENAI_BASE_URL = env.str("OPENAI_BASE_URL", default="")
OPENAI_API_KEY = env.str("OPENAI_API_KEY", default="")
MODEL = env.str("MODEL", default="")
MODEL_FALLBACKS = env.list("MODEL_FALLBACKS", default=[])
MODEL_FIRST_TOKEN_MS = env.int("MODEL_FIRST_TOKEN_MS", default=25_000)

# Runs
LEASE_TTL_S = env.float("LEASE_TTL_S", default=20.0)
LEASE_HEARTBEAT_S = env.float("LEASE_HEARTBEAT_S", default=5.0)
SHUTDOWN_GRACE_S = env.float("SHUTDOWN_GRACE_S", default=5.0)
MAX_INPUT_CHARS = env.int("MAX_INPUT_CHARS", default=32_000)
