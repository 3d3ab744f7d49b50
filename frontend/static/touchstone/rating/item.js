// The rating page: finds its parts and introduces them to each other. Without this script the page is a plain form.
import { showCoverage } from "./coverage.js";
import { showHelpOnTap } from "./help.js";
import { listenToKeys } from "./keys.js";
import { Next } from "./next.js";
import { Outbox } from "./outbox.js";
import { Player } from "./player.js";
import { preloadNext } from "./preload.js";
import { Questions } from "./questions.js";
import { Status } from "./status.js";
import { WatchGate } from "./watch.js";

let isStarted = false;

function start() {
  const page = document.getElementById("item");
  const video = page?.querySelector("video");
  if (!video || isStarted) return;
  isStarted = true;
  const form = page.querySelector("form.questions");
  const { item, save, wait, watched, next } = page.dataset;
  const part = (name) => page.querySelector(`[data-part=${name}]`);

  const status = new Status({ saved: part("saved"), alert: part("alert"), said: part("said") });
  const gate = new WatchGate(video, { key: item, wait: Number(wait), isOpen: watched === "yes" });
  const outbox = new Outbox(save);
  const questions = new Questions(form, { outbox, gate, item });
  const player = new Player(video, { replay: part("replay"), half: part("half") });

  status.follow(outbox);
  questions.addEventListener("chosen", ({ detail }) => status.say(detail));
  showCoverage(gate, {
    box: part("watch"),
    video,
    lock: (isLocked) => questions.lock(isLocked),
    say: (words) => status.say(words),
  });
  new Next(form, { gate, questions, outbox, status });
  listenToKeys({ player, questions, form, toggle: part("keys") });
  showHelpOnTap(form);
  preloadNext(video, next ? next.split(" ") : []);
  const broken = () => status.alert("This clip does not load. Reload the page, or press “This video won’t play”.");
  if (video.error) broken();
  else video.addEventListener("error", broken);
  for (const scripted of page.querySelectorAll("[data-scripted]")) scripted.hidden = false;
  form.noValidate = true; // what is missing is said in the page
  outbox.flush();
}

start();
document.addEventListener("htmx:afterSettle", start);
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
