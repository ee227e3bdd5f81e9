// "@" at the start of a message names an agent: a list to pick from, by keyboard or pointer.

import { h } from "../dom.js";
import { avatar } from "./parts.js";

const MENTION = /^\s*@([^\s@]*)$/u;
const LONGEST_LIST = 8;

/** What stands after a leading "@" that is still being typed; null when none is. */
export function openMention(text, caret) {
  return MENTION.exec(text.slice(0, caret))?.[1] ?? null;
}

export class Mentions {
  #found = [];
  #active = 0;

  constructor({ input, list, agents }) {
    Object.assign(this, { input, list, agents });
    input.setAttribute("aria-controls", list.id);
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", ({ target }) => {
      const option = target.closest("[role=option]");
      if (option) this.#pick(Number(option.dataset.index));
    });
    input.addEventListener("blur", () => this.close());
  }

  get isOpen() {
    return !this.list.hidden;
  }

  /** Call after each change of the text or the caret. */
  look() {
    const wanted = openMention(this.input.value, this.input.selectionStart);
    this.#found = wanted === null ? [] : this.agents.matching(wanted).slice(0, LONGEST_LIST);
    this.#active = 0;
    if (!this.#found.length) this.close();
    else this.#draw();
  }

  /** Whether the key was for the list. */
  key(event) {
    if (!this.isOpen) return false;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      this.#active = (this.#active + steps[event.key] + this.#found.length) % this.#found.length;
      this.#draw();
    } else if (event.key === "Enter" || event.key === "Tab") {
      this.#pick(this.#active);
    } else if (event.key === "Escape") {
      this.close();
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }

  close() {
    this.list.hidden = true;
    this.input.removeAttribute("aria-activedescendant");
  }

  #draw() {
    const options = this.#found.map((entry, index) =>
      h(
        "li",
        {
          id: `${this.list.id}-${index}`,
          role: "option",
          "aria-selected": String(index === this.#active),
          dataset: { index },
        },
        avatar(this.agents.get(entry.name)),
        h("span", {}, entry.display_name),
        h("code", {}, `@${entry.name}`),
      ),
    );
    this.list.replaceChildren(...options);
    this.list.hidden = false;
    this.input.setAttribute("aria-activedescendant", options[this.#active].id);
    options[this.#active].scrollIntoView({ block: "nearest" });
  }

  #pick(index) {
    const rest = this.input.value.slice(this.input.selectionStart);
    const start = `@${this.#found[index].name} `;
    this.input.value = start + rest.trimStart();
    this.input.setSelectionRange(start.length, start.length);
    this.close();
    this.input.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
