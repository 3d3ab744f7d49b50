"""Settings, from the environment only. Every variable is listed in .env.example.

`TOUCHSTONE_MODE=embedded` (the default) needs nothing: SQLite, a queue of files and everything else live under `var/`.
`TOUCHSTONE_MODE=deployment` wants its secrets and servers named, and turns on what HTTPS allows.
"""

import contextlib
import os
import secrets
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import environment as env

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = "0.1.0"

MODE = env.choice("TOUCHSTONE_MODE", ("embedded", "deployment"))
DEPLOYED = MODE == "deployment"
DEBUG = env.flag("DEBUG")
VAR_DIR = Path(env.text("VAR_DIR", str(BASE_DIR / "var"))).resolve()


def _embedded_secret_key() -> str:
    """One key per `var/`, made once: sessions and signed links survive a restart."""
    path = VAR_DIR / "secret-key"
    if not path.exists():
        VAR_DIR.mkdir(parents=True, exist_ok=True)
        aside = VAR_DIR / f"secret-key.{secrets.token_hex(4)}"
        aside.touch(mode=0o600)
        aside.write_text(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):  # another process was first: its key counts
            os.link(aside, path)
        aside.unlink()
    return path.read_text().strip()


if DEPLOYED:
    SECRET_KEY = env.required("SECRET_KEY", "a deployment signs sessions and raters' links with it")
    env.required("ALLOWED_HOSTS", "a deployment names the hosts that it answers for")
else:
    SECRET_KEY = env.text("SECRET_KEY") or _embedded_secret_key()

ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "" if DEPLOYED else "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "config",
    "config.audit",
    "rendering",
    "annotation",
    "metaeval",
    "fixtures",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "rest_framework.authtoken",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "csp",
]

MIDDLEWARE = [
    "config.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "frontend" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Database -----------------------------------------------------------------------------------------------------


def _database() -> dict[str, Any]:
    if DEPLOYED:
        url = env.required("DATABASE_URL", "a deployment keeps its data in PostgreSQL")
    else:
        url = env.text("DATABASE_URL") or f"sqlite:///{VAR_DIR / 'touchstone.sqlite3'}"
    try:
        database: dict[str, Any] = dict(dj_database_url.parse(url))
    except (ValueError, dj_database_url.ParseError) as error:
        raise ImproperlyConfigured(f"DATABASE_URL: {error}") from None
    if "sqlite" in str(database["ENGINE"]):
        # IMMEDIATE takes the write lock at BEGIN, so that two writers queue up instead of failing half-way.
        # synchronous=FULL: an acknowledged rating survives a power cut.
        database["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
                "PRAGMA recursive_triggers=ON;"  # or INSERT OR REPLACE would pass the triggers of frozen tables
            ),
        }
    elif pool := env.integer("DATABASE_POOL", 0):
        database.setdefault("OPTIONS", {})["pool"] = {"min_size": 1, "max_size": pool, "timeout": 10}
    return database


DATABASES = {"default": _database()}

# --- Queue --------------------------------------------------------------------------------------------------------

if DEPLOYED:
    BROKER_URL = env.required("BROKER_URL", "a deployment sends its work through Redis or RabbitMQ")
else:
    BROKER_URL = env.text("BROKER_URL") or "filesystem://localhost//"
QUEUE_DIR = VAR_DIR / "queue"

CELERY_BROKER_URL = BROKER_URL
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {"rendering.*": {"queue": "render"}}
CELERY_TASK_IGNORE_RESULT = True  # the truth is a row, not a result
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
if BROKER_URL.startswith("filesystem://"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_DIR / "messages"),
        "data_folder_out": str(QUEUE_DIR / "messages"),
        "control_folder": str(QUEUE_DIR / "control"),
        "polling_interval": 0.2,  # seconds; a whole one between two clips would be a third of the time of a small one
    }
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False  # its replies would pile up as files
SWEEP_SECONDS = env.integer("SWEEP_SECONDS", 30, minimum=1)
# How long a silent worker keeps its job, and how long one clip may take before its job is stopped.
JOB_LEASE_SECONDS = env.integer("JOB_LEASE_SECONDS", 60, minimum=2)
RENDER_TIME_LIMIT = env.integer("RENDER_TIME_LIMIT", 600, minimum=1)

# --- Files --------------------------------------------------------------------------------------------------------

# Motions and clips: private, never under a public URL. Another storage (S3, ...) by its dotted name.
MEDIA_ROOT = VAR_DIR / "files"
STATIC_URL = "/static/"
STATIC_ROOT = Path(env.text("STATIC_ROOT", str(VAR_DIR / "static")))
STATICFILES_DIRS = [BASE_DIR / "frontend" / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "config.staticfiles.PlotlyFinder",
]
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": env.text("FILE_STORAGE", "django.core.files.storage.FileSystemStorage")},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if DEPLOYED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not DEPLOYED  # embedded: served from the source tree, with nothing to collect
WHITENOISE_AUTOREFRESH = DEBUG
# nginx serves clips when this names its internal location, e.g. /protected/
ACCEL_REDIRECT_PREFIX = env.text("ACCEL_REDIRECT_PREFIX")

# --- People -------------------------------------------------------------------------------------------------------

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

# --- API ----------------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["config.permissions.StaffRolePermission"],
    "DEFAULT_PAGINATION_CLASS": "config.pagination.PagePagination",
    "PAGE_SIZE": 50,
    "DEFAULT_FILTER_BACKENDS": [
        "django_filters.rest_framework.DjangoFilterBackend",
        "rest_framework.filters.OrderingFilter",
    ],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Touchstone",
    "DESCRIPTION": "Prompts, motions, clips, ratings, labels, scores and analyses of text-to-motion studies.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
}

# --- Security -----------------------------------------------------------------------------------------------------

# Origins that may show the rater's pages in a frame (MTurk); everything else refuses to be framed.
RATER_FRAME_ANCESTORS = env.words("RATER_FRAME_ANCESTORS")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],  # Swagger UI and the admin draw small icons from data: addresses
        "media-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"  # a rater's token must not leave in a Referer header
SESSION_COOKIE_HTTPONLY = True

if DEPLOYED:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # probes come from inside, without TLS
    SECURE_HSTS_SECONDS = env.integer("HSTS_SECONDS", 31_536_000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# --- Logs ---------------------------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"ids": {"()": "config.logs.IdsFilter"}, "tokens": {"()": "config.logs.TokenFilter"}},
    "formatters": {
        "json": {"()": "config.logs.JsonFormatter"},
        "console": {
            "format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s%(task_id)s] %(message)s",
            "datefmt": "%H:%M:%S",
        },
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "filters": ["ids", "tokens"],
            "formatter": env.choice("LOG_FORMAT", ("json", "console")),
        }
    },
    "root": {"handlers": ["stderr"], "level": env.text("LOG_LEVEL", "INFO").upper()},
}
