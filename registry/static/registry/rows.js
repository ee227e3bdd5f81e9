"use strict";
/* Lists edited as rows: Enter goes to the next row, a pasted list becomes rows, Backspace in an empty row
   removes it. Without this script every row is an ordinary text field, and a line a row works too. */
(() => {
  const BULLET = /^\s*(?:[-*•·]|\d{1,3}[.)、])\s+/;
  const fill = (text, n) => text.replace("{n}", n);

  class Rows {
    constructor(root) {
      this.root = root;
      this.list = root.querySelector(".rows-list");
      this.template = root.querySelector("template");
      this.status = root.querySelector(".rows-status");
      this.texts = root.dataset;
      const add = root.querySelector(".rows-add");
      add.hidden = false;
      root.querySelector(".rows-hint").hidden = false;
      add.addEventListener("click", () => this.say("Added", this.number(this.add())));
      this.list.addEventListener("click", (event) => {
        if (event.target.closest(".rows-remove")) this.remove(event.target.closest(".rows-item"));
      });
      this.list.addEventListener("keydown", (event) => this.key(event));
      this.list.addEventListener("paste", (event) => this.paste(event));
      this.renumber();
    }

    items() { return [...this.list.children]; }
    text(item) { return item.querySelector(".rows-text"); }
    number(item) { return this.items().indexOf(item) + 1; }
    say(what, n) { this.status.textContent = fill(this.texts[`text${what}`], n); }

    add(after = null, value = "") {
      const item = this.template.content.firstElementChild.cloneNode(true);
      if (after) after.after(item); else this.list.append(item);
      this.text(item).value = value;
      this.renumber();
      this.text(item).focus();
      return item;
    }

    remove(item) {
      const items = this.items();
      const at = items.indexOf(item);
      if (items.length === 1) {
        item.querySelectorAll("textarea, input").forEach((field) => { field.value = ""; });
        this.clearError(item);
        this.text(item).focus();
        return;
      }
      item.remove();
      this.renumber();
      this.text(this.items()[Math.max(0, at - 1)]).focus();
      this.say("Removed", this.items().length);
      this.changed();
    }

    key(event) {
      const item = event.target.closest(".rows-item");
      // While a Chinese or Japanese input method is composing, Enter confirms the word.
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Enter" && event.target.tagName !== "BUTTON" && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        const next = item.nextElementSibling;
        if (next) this.text(next).focus();
        else if (this.text(item).value.trim()) this.say("Added", this.number(this.add(item)));
      } else if (event.key === "Backspace" && event.target === this.text(item) && !event.target.value
                 && this.items().length > 1) {
        event.preventDefault();
        this.remove(item);
      }
    }

    paste(event) {
      if (!event.target.classList.contains("rows-text")) return;
      const lines = event.clipboardData.getData("text").split(/\r\n|[\r\n\u2028]/)
        .map((line) => line.replace(BULLET, "").trim()).filter(Boolean);
      if (lines.length < 2) return;
      event.preventDefault();
      const field = event.target;
      field.setRangeText(lines[0], field.selectionStart, field.selectionEnd, "end");
      let item = field.closest(".rows-item");
      for (const line of lines.slice(1)) item = this.add(item, line);
      this.say("Pasted", lines.length - 1);
      this.changed();
    }

    clearError(item) {
      item.classList.remove("rows-item-wrong");
      item.querySelector(".rows-error")?.remove();
      this.text(item).removeAttribute("aria-invalid");
    }

    renumber() {
      this.items().forEach((item, i) => {
        const text = this.text(item);
        text.setAttribute("aria-label", fill(this.texts.textRow, i + 1));
        const base = this.template.content.querySelector(".rows-text").id.replace("___i__", "");
        if (text.id.endsWith("__i__")) text.id = `${base}_${crypto.getRandomValues(new Uint32Array(1))[0]}`;
        const remove = item.querySelector(".rows-remove");
        remove.hidden = false;
        remove.setAttribute("aria-label", fill(this.texts.textRemove, i + 1));
        remove.title = fill(this.texts.textRemove, i + 1);
        item.querySelector(".rows-target")?.setAttribute("aria-label", fill(this.texts.textTarget, i + 1));
      });
    }

    changed() { this.root.dispatchEvent(new Event("change", { bubbles: true })); }
  }

  const start = () => document.querySelectorAll("[data-rows]").forEach((root) => new Rows(root));
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
