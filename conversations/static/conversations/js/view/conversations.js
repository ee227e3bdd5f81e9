// The left column: the person's conversations, the current one marked.

import { listConversations } from "../api.js";
import { h } from "../dom.js";
import { gettext } from "../i18n.js";
import { isUnderWay } from "../reducer.js";

const PAGE = 50;

export class ConversationList {
  #current = null;
  #cursor = null;

  /** `onOpen(id)` shows one without loading the page anew. */
  constructor({ root, onOpen }) {
    this.list = root.querySelector("[data-testid=conversation-list]");
    this.empty = root.querySelector("[data-part=none]");
    this.older = root.querySelector("[data-part=older]");
    root.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-conversation], a[data-part=new]");
      if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      onOpen(link.dataset.conversation ?? null);
    });
    this.older?.addEventListener("click", () => this.#showOlder());
  }

  update({ conversation, state, ready }) {
    const id = conversation?.id ?? null;
    if (id !== this.#current) this.#mark(id);
    if (!id || !ready) return;
    const link = this.#link(id);
    if (!link) return;
    if (conversation.title) link.firstElementChild.textContent = conversation.title;
    const isBusy = isUnderWay(state.run);
    const isFirst = link.parentElement === this.list.firstElementChild;
    if (isBusy && !isFirst && document.activeElement !== link) this.list.prepend(link.parentElement);
    link.dataset.busy = String(isBusy);
  }

  add({ id, title }) {
    if (!this.#link(id)) this.list.prepend(item(id, title));
    this.empty.hidden = true;
    this.#mark(id);
  }

  #link(id) {
    return this.list.querySelector(`a[data-conversation="${id}"]`);
  }

  #mark(id) {
    this.#current = id;
    for (const link of this.list.querySelectorAll("a[aria-current]")) link.removeAttribute("aria-current");
    if (id) this.#link(id)?.setAttribute("aria-current", "page");
  }

  async #showOlder() {
    this.older.disabled = true;
    try {
      // The page was rendered without a cursor: the first click walks past what is shown already.
      do {
        const query = this.#cursor ? { limit: PAGE, cursor: this.#cursor } : { limit: PAGE };
        const { results, next } = await listConversations(query);
        const fresh = results.filter(({ id }) => !this.#link(id));
        this.list.append(...fresh.map(({ id, title }) => item(id, title)));
        this.#cursor = next;
        if (fresh.length) break;
      } while (this.#cursor);
      this.older.hidden = !this.#cursor;
    } finally {
      this.older.disabled = false;
    }
  }
}

const item = (id, title) =>
  h("li", {},
    h("a", { href: `/chat/${id}/`, dataset: { conversation: id } },
      h("span", {}, title || gettext("New conversation")),
      h("span", { class: "pulse", "aria-hidden": "true" })));
