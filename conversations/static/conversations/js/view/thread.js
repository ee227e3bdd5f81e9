// The middle column: the turns, oldest first, and a view that stays at the end while the reader does.

import { h, reconcile } from "../dom.js";
import { timeline } from "../timeline.js";
import { Follower } from "./follow.js";
import { Turn, questionView } from "./turn.js";

export class Thread {
  #turns = new Map();
  #state = null;
  #pending = undefined;

  constructor({ list, scroller, jump, agents, onRetry }) {
    Object.assign(this, { list, agents });
    this.sent = h("div", { class: "turn" });
    this.follower = new Follower(scroller, (isAtEnd) => (jump.hidden = isAtEnd));
    jump.addEventListener("click", () => this.follower.toEnd());
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
    if (isNew) this.follower.toEnd();
    else this.follower.grown();
  }

  /** It was not shown, and is now. */
  shown() {
    this.follower.grown();
  }

  /** Another conversation: what was shown belongs to the old one. */
  clear() {
    for (const turn of this.#turns.values()) turn.remove();
    this.#turns.clear();
    this.#state = null;
    this.#pending = undefined;
    this.list.replaceChildren();
    this.follower.toEnd();
  }
}
