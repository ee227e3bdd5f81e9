// One conversation's socket: opens, says what it hears, and comes back by itself with growing, random pauses.

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 15_000;
const REFUSED = new Set([4403, 4404]);

/** How long to wait before try number `attempt` (from 0): at least half of it certain, the rest random. */
export function pause(attempt, random = Math.random) {
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  return ceiling / 2 + (random() * ceiling) / 2;
}

/**
 * Status is "closed" (nothing wanted), "connecting" (also between tries), "open" (after the server's hello)
 * or "refused" (the server will not have it: `code` is 4403 or 4404).
 */
export class ChatSocket {
  #socket = null;
  #timer = null;
  #attempt = 0;
  #url = null;

  constructor({ onFrame, onStatus, open = (url) => new WebSocket(url) }) {
    this.onFrame = onFrame;
    this.onStatus = onStatus;
    this.openSocket = open;
    this.status = "closed";
  }

  /** Closes what is open, then connects to `url`. */
  connect(url) {
    this.close();
    this.#url = url;
    this.#attempt = 0;
    this.#try();
  }

  close() {
    clearTimeout(this.#timer);
    this.#url = null;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
    this.#say("closed");
  }

  /** Tries again now instead of after the pause (the network came back, the tab is looked at again). */
  hurry() {
    if (this.#url && !this.#socket) {
      clearTimeout(this.#timer);
      this.#try();
    }
  }

  /** Sends `frame` if the server has said hello; whether it did. */
  send(frame) {
    if (this.status !== "open" || this.#socket.readyState !== 1) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  #say(status, code = null) {
    if (status === this.status) return;
    this.status = status;
    this.onStatus(status, code);
  }

  #try() {
    this.#say("connecting");
    const socket = this.openSocket(this.#url);
    this.#socket = socket;
    // A socket that was replaced may still have frames on their way: they belong to another conversation.
    const mine = (handler) => (event) => socket === this.#socket && handler(event);
    socket.addEventListener("message", mine(({ data }) => this.#hear(JSON.parse(data))));
    socket.addEventListener("close", mine(({ code }) => this.#lost(code)));
  }

  #hear(frame) {
    if (frame.type === "hello") {
      this.#attempt = 0;
      this.status = "open";
      this.onFrame(frame);
      this.onStatus("open", null);
    } else {
      this.onFrame(frame);
    }
  }

  #lost(code) {
    this.#socket = null;
    if (REFUSED.has(code)) {
      this.#url = null;
      this.#say("refused", code);
      return;
    }
    this.#say("connecting");
    this.#timer = setTimeout(() => this.#try(), pause(this.#attempt));
    this.#attempt += 1;
  }
}
