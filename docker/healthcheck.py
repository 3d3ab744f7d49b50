"""Asks the site of this container how it is: `python docker/healthcheck.py /readyz`. Exits 1 when it is not well."""

import os
import sys
import urllib.request


def main(path: str) -> int:
    # The site answers to its own names only, and localhost is none of them.
    host = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".")
    request = urllib.request.Request(f"http://127.0.0.1:8000{path}", headers={"Host": host or "localhost"})
    try:
        with urllib.request.urlopen(request, timeout=8) as answer:
            print(answer.read().decode())
            return 0
    except OSError as error:  # a refused connection, or an answer that is not 200
        print(f"{path}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "/healthz"))
