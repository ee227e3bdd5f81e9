// The middle column: the turns, oldest first, and a view that stays at the end while the reader does.

import { h, reconcile } from "../dom.js";
import { timeline } from "../timeline.js";
import { Turn, questionView } from "./turn.js";

const NEAR_END_PX = 96;

export class Thread {
  #turns = new Map();
  #state = null;
  #pending = undefined;

  constructor({ list, scroller, jump, agents, onRetry }) {
    Object.assign(this, { list, scroller, jump, agents });
    this.sent = h("div", { class: "turn" });
    this.atEnd = true;
    scroller.addEventListener("scroll", () => this.#look(), { passive: true });
    jump.addEventListener("click", () => this.toEnd());
    list.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-testid=retry]");
      if (button) onRetry(button.dataset.run);
    });
  }

  update({ state, pending, ready }) {
    if (!ready || (state === this.#state && pending === this.#pending)) return;
    if (this.#state === null) this.list.replaceChildren();
    const isNew = pending !== this.#pending && pending !== null;
    this.#state = state;
    this.#pending = pending;
    const turns = timeline(state);
    const last = state.run?.id;
    const items = turns.map((turn) => ({ ...turn, isLast: turn.run?.id === last && !pending }));
    this.sent.remove();
    reconcile(this.list, this.#turns, items, ({ key }) => key, (turn) => new Turn(turn, this.agents));
    this.sent.replaceChildren(...(pending ? [questionView(pending.content, true)] : []));
    if (pending) this.list.append(this.sent);
    if (isNew || this.atEnd) this.toEnd();
    else this.#look();
  }

  /** Another conversation: what was shown belongs to the old one. */
  clear() {
    for (const turn of this.#turns.values()) turn.remove();
    this.#turns.clear();
    this.#state = null;
    this.#pending = undefined;
    this.atEnd = true;
    this.list.replaceChildren();
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.atEnd = true;
    this.jump.hidden = true;
  }

  #look() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    this.atEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    this.jump.hidden = this.atEnd;
  }
}
