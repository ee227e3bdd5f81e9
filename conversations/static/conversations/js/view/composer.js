// Where the person writes. What was typed is never lost: not by a reload, not by a refusal.

import { setText } from "../dom.js";
import { fill, gettext } from "../i18n.js";
import * as storage from "../storage.js";
import { countPoints } from "../text.js";
import { errorSentence } from "../words.js";
import { Mentions } from "./mentions.js";

const TALLEST_PX = 220;
// Some input methods report the Enter that ends a composition only by this code.
const COMPOSING = 229;

export class Composer {
  #key = "draft:new";
  #busy = false;

  /** `onSend(text)` answers whether the message was taken; `limit` is in code points. */
  constructor({ form, agents, limit, onSend, onStop }) {
    this.form = form;
    this.limit = limit;
    this.onSend = onSend;
    this.input = form.querySelector("[data-testid=composer]");
    this.send = form.querySelector("[data-testid=send]");
    this.stop = form.querySelector("[data-testid=stop]");
    this.notice = form.querySelector("[data-part=notice]");
    const list = form.querySelector("[role=listbox]");
    this.mentions = new Mentions({ input: this.input, list, agents });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.stop.addEventListener("click", onStop);
    this.input.addEventListener("keydown", (event) => this.#pressed(event));
    this.input.addEventListener("input", () => this.#typed());
    // Served disabled: an Enter before this module had loaded would be lost.
    this.input.disabled = this.send.disabled = false;
  }

  /** Shows the draft of conversation `id` (null: of a new one). */
  show(id) {
    this.#key = `draft:${id ?? "new"}`;
    this.#set(storage.read(this.#key) ?? "");
    this.say("");
  }

  update({ busy, stopping }) {
    if (busy !== this.#busy) {
      const hadFocus = document.activeElement === this.send || document.activeElement === this.stop;
      this.#busy = busy;
      this.send.hidden = busy;
      this.stop.hidden = !busy;
      if (hadFocus) this.input.focus();
      if (!busy && this.notice.dataset.kind === "busy") this.say("");
    }
    this.stop.disabled = stopping;
  }

  /** A refused message comes back; what was typed since stays behind it. */
  refuse({ code, message, text }) {
    if (text) this.#set(this.input.value.trim() ? `${text}\n\n${this.input.value}` : text);
    if (code) this.say(code === "INVALID_INPUT" && message ? message : errorSentence(code), "error");
    this.input.focus();
  }

  fill(text) {
    this.#set(text);
    this.input.focus();
  }

  say(text, kind = "") {
    this.notice.hidden = !text;
    this.notice.dataset.kind = kind;
    setText(this.notice, text);
  }

  async submit() {
    const text = this.input.value.trim();
    const problem = this.#problem(text);
    if (problem) {
      this.say(problem, this.#busy ? "busy" : "error");
      this.input.focus();
      return;
    }
    this.say("");
    this.#set("");
    await this.onSend(text);
  }

  #problem(text) {
    if (this.#busy) return gettext("Wait for the answer, or stop it first. Your text stays here.");
    if (!text) return gettext("Write a message first.");
    if (countPoints(text) <= this.limit) return null;
    const numbers = { n: countPoints(text).toLocaleString(), limit: this.limit.toLocaleString() };
    return fill(gettext("This message is too long: %(n)s characters, and at most %(limit)s can be sent."), numbers);
  }

  #pressed(event) {
    if (event.isComposing || event.keyCode === COMPOSING || this.mentions.key(event)) return;
    if (event.key !== "Enter" || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.submit();
  }

  #typed() {
    storage.write(this.#key, this.input.value);
    this.#grow();
    this.mentions.look();
    if (this.notice.dataset.kind === "error") this.say("");
  }

  #set(text) {
    this.input.value = text;
    storage.write(this.#key, text);
    this.#grow();
  }

  #grow() {
    this.input.style.height = "auto";
    this.input.style.height = `${Math.min(this.input.scrollHeight + 2, TALLEST_PX)}px`;
  }
}
