// Clocks that run while something works: one timer for all of them, none when nothing runs.

import { setText } from "../dom.js";
import { duration } from "../words.js";

const TICK_MS = 200;
const running = new Map();
let timer = null;
let skew = 0;
let measured = false;

/** Learns how far this computer's clock is from the server's, from an event that has just been sent (`at`). */
export function heardAt(at) {
  const difference = Date.now() - Date.parse(at);
  skew = measured ? Math.min(skew, difference) : difference;
  measured = true;
}

/** Shows in `element` how long ago `since` (ISO 8601) was, from now on. */
export function start(element, since) {
  running.set(element, Date.parse(since));
  tick(element);
  timer ??= setInterval(() => [...running.keys()].forEach(tick), TICK_MS);
}

/** Stops at `ms`, or goes blank for null. */
export function stop(element, ms = null) {
  running.delete(element);
  setText(element, ms === null ? "" : duration(ms));
  if (running.size === 0) {
    clearInterval(timer);
    timer = null;
  }
}

export function forget(element) {
  running.delete(element);
}

function tick(element) {
  setText(element, duration(Math.max(0, Date.now() - skew - running.get(element))));
}
