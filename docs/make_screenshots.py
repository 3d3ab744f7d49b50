"""Takes the pictures of the documentation anew: `make screenshots`.

Starts a demo of its own in a temporary folder, waits until every clip is drawn, and photographs its pages in the
machine's Chromium (CHROMIUM names another one). A few minutes; nothing of the user's `var/` is touched.
"""

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
PASSWORD = "touchstone-demo"
START_SECONDS, DRAW_SECONDS, ANALYSE_SECONDS = 180, 1200, 300
LARGEST_BYTES, QUANTISED_ABOVE_BYTES = 200_000, 120_000
DESKTOP: ViewportSize = {"width": 1200, "height": 780}
PHONE: ViewportSize = {"width": 390, "height": 844}
# Variables that would lead the demo to servers of the user's.
NOT_FOR_THE_DEMO = ("DATABASE_URL", "BROKER_URL", "TOUCHSTONE_MODE", "FILE_STORAGE", "ACCEL_REDIRECT_PREFIX")


@dataclass(frozen=True)
class Demo:
    site: str
    rater: str
    folder: Path


# --- The demo ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def running_demo() -> Iterator[Demo]:
    with tempfile.TemporaryDirectory(prefix="ts-screenshots-") as name:
        folder, port = Path(name), _free_port()
        environment = {key: value for key, value in os.environ.items() if key not in NOT_FOR_THE_DEMO}
        environment |= {"VAR_DIR": str(folder / "var"), "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "manage.py", "demo", "--port", str(port), "--blender", "0"]
        with (folder / "output").open("wb") as output:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            rater = _rater_link(process, folder / "output")
            yield Demo(f"http://127.0.0.1:{port}", rater, folder / "var")
        finally:
            process.terminate()
            process.wait(30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _rater_link(process: "subprocess.Popen[bytes]", output: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        for line in output.read_text().splitlines():
            if line.split()[:1] == ["Rater"] and "Ctrl-C" in output.read_text():
                return line.split()[1]
        time.sleep(0.5)
    raise SystemExit(f"The demo did not start:\n{output.read_text()}")


def wait_until_drawn(demo: Demo) -> None:
    """Every clip, and the report of the demo's analysis."""
    deadline = time.monotonic() + DRAW_SECONDS
    while time.monotonic() < deadline:
        waiting = _count(demo, "SELECT count(*) FROM rendering_clip WHERE state <> 'ready'")
        if waiting == 0 and _count(demo, "SELECT count(*) FROM metaeval_report"):
            return
        if sys.stdout.isatty():
            print(f"\r{waiting} clips to draw ", end="", flush=True)
        time.sleep(2)
    raise SystemExit("The clips were not drawn in time.")


def _wait_for_clips(demo: Demo, count: int) -> None:
    deadline = time.monotonic() + DRAW_SECONDS
    while _count(demo, "SELECT count(*) FROM rendering_clip WHERE state = 'ready'") < count:
        if time.monotonic() > deadline:
            raise SystemExit("The clips were not drawn in time.")
        time.sleep(1)


def _count(demo: Demo, query: str) -> int:
    with contextlib.closing(sqlite3.connect(f"file:{demo.folder / 'touchstone.sqlite3'}?mode=ro", uri=True)) as rows:
        return int(rows.execute(query).fetchone()[0])


# --- The pictures -----------------------------------------------------------------------------------------------------


def take_queue(browser: Browser, demo: Demo) -> None:
    """While there is one."""
    page = _open(browser, demo)
    _sign_in(page, "manager")
    _wait_for_clips(demo, 12)
    _shoot(page, "/manage/demo/clips/", "manager-clips", height=900)
    page.context.close()


def take_all(browser: Browser, demo: Demo) -> None:
    page = _open(browser, demo)
    _shoot(page, "/", "home")
    _shoot(page, demo.rater, "rater-landing", height=840)
    _start_rating(page)
    _shoot_rating(page, "rater-rate")
    rating = page.url
    with _phone(browser, demo) as phone:
        phone.goto(rating)
        _shoot_rating(phone, "rater-rate-phone")
    _sign_in(page, "manager")
    _shoot(page, "/manage/", "manager-console", height=560)
    _shoot(page, "/manage/demo/", "manager-study", height=1000)
    _shoot(page, "/manage/demo/motions/", "manager-motions", height=840)
    _shoot(page, "/manage/demo/samples/3/", "manager-sample", height=960)
    page.context.clear_cookies()
    _sign_in(page, "researcher")
    _shoot(page, "/research/", "researcher-home")
    _shoot(page, "/research/demo/", "researcher-study", height=1000)
    _shoot(page, "/research/demo/analyses/new/", "researcher-new-analysis", height=1000)
    _shoot(page, "/research/analyses/1/", "researcher-analysis", height=1150)
    _analyse_again(page)
    _shoot(page, "/research/analyses/compare/?a=1&b=2", "researcher-compare", height=1000)
    page.emulate_media(color_scheme="dark")
    _shoot(page, "/research/samples/2/", "researcher-sample-dark")


def _open(browser: Browser, demo: Demo) -> Page:
    context = browser.new_context(base_url=demo.site, viewport=DESKTOP, color_scheme="light", locale="en")
    return context.new_page()


@contextlib.contextmanager
def _phone(browser: Browser, demo: Demo) -> Iterator[Page]:
    context = browser.new_context(base_url=demo.site, viewport=PHONE, is_mobile=True, has_touch=True, locale="en")
    yield context.new_page()
    context.close()


def _sign_in(page: Page, name: str) -> None:
    page.goto("/accounts/login/")
    page.fill("#id_username", name)
    page.fill("#id_password", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_load_state("networkidle")


def _analyse_again(page: Page) -> None:
    """Another one, to compare with: medians for labels, and few replicates."""
    page.goto("/research/demo/analyses/new/")
    page.fill("#id_title", "With medians for labels")
    page.select_option("#id_aggregation", "median")
    page.fill("#id_replicates", "200")
    page.fill("#id_permutations", "0")
    page.get_by_role("button", name="Start analysis").click()
    page.wait_for_selector(".panel--finding", timeout=ANALYSE_SECONDS * 1000)


def _start_rating(page: Page) -> None:
    page.check("input[name=consent]")
    page.click("button[type=submit]")
    page.wait_for_url("**/rate/")


def _shoot_rating(page: Page, name: str) -> None:
    """Half-way through the first clip, with one answer given."""
    page.wait_for_selector("[data-part=watch][data-open=yes]", timeout=60_000)  # the clip has been watched
    page.check("input[name=naturalness][value='3']", force=True)
    page.evaluate("scrollTo(0, 0)")
    _write(page, name)


def _shoot(page: Page, address: str, name: str, *, height: int = 0) -> None:
    answer = page.goto(address)
    if answer is None or not answer.ok:
        raise SystemExit(f"{name}: the page answered {answer.status if answer else 'nothing'}")
    if height:
        page.set_viewport_size({"width": DESKTOP["width"], "height": height})
    _write(page, name)
    page.set_viewport_size(DESKTOP)


def _write(page: Page, name: str) -> None:
    page.wait_for_load_state("networkidle")
    if page.locator("[data-figure]").count():
        _hold_figure(page)
    _hold_videos_half_way(page)
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    path = IMAGES / f"{name}.png"
    picture.save(path, optimize=True)
    if path.stat().st_size > QUANTISED_ABOVE_BYTES:
        # A median cut alone would mix the few strong colours with their neighbours; k-means pulls them apart again.
        picture.quantize(256, method=Image.Quantize.MEDIANCUT, kmeans=2).save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}  {picture.width} x {picture.height}, {size // 1000} kB")
    if size > LARGEST_BYTES:
        raise SystemExit(f"{path.name} is larger than {LARGEST_BYTES // 1000} kB")


def _hold_figure(page: Page) -> None:
    """In its third part of the motion."""
    page.locator("[data-figure]:not([data-state=loading])").wait_for()
    frame = page.locator(".figure__frame")
    if page.locator(".figure__play").text_content() == "Pause":
        page.locator(".figure__play").click()
    frame.fill(str(int(frame.get_attribute("max") or 0) * 2 // 3))


def _hold_videos_half_way(page: Page) -> None:
    page.evaluate(
        """async () => {
            for (const video of document.querySelectorAll('video')) {
                video.autoplay = false;
                video.preload = 'auto';
                if (video.readyState < 1) {
                    video.load();
                    await new Promise(done => { video.onloadedmetadata = done; setTimeout(done, 5000); });
                }
                video.pause();
                const sought = new Promise(done => { video.onseeked = done; setTimeout(done, 5000); });
                video.currentTime = video.duration / 2 || 0;
                await sought;
                // Else the player's spinner is in the picture.
                for (let tries = 0; video.readyState < 4 && tries < 50; tries += 1) {
                    await new Promise(done => setTimeout(done, 100));
                }
            }
            document.activeElement?.blur();
        }"""
    )
    page.wait_for_timeout(800)  # the player's controls fade


def _chromium() -> str:
    chosen = os.environ.get("CHROMIUM", "")
    names = [chosen] if chosen else ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    path = next((path for name in names if (path := shutil.which(name))), "")
    if not path:
        raise SystemExit("No Chromium found: install one, or set CHROMIUM to its path.")
    return path


def main() -> int:
    # Unwinds the stack, so that the demo is stopped and its folder removed.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    chromium = _chromium()
    IMAGES.mkdir(parents=True, exist_ok=True)
    with running_demo() as demo:
        print(f"A demo runs at {demo.site}/")
        with sync_playwright() as playwright:
            # The last flag: the figure in 3D is drawn without a graphics card.
            flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader"]
            browser = playwright.chromium.launch(executable_path=chromium, args=flags)
            take_queue(browser, demo)
            wait_until_drawn(demo)
            print("\nEvery clip is drawn.")
            take_all(browser, demo)
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
