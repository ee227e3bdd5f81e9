// Markdown that is safe to show: no HTML from outside, no remote image, no style, links that leave in a new tab.

import MarkdownIt from "../vendor/markdown-it.js";
import cjkFriendly from "../vendor/markdown-it-cjk-friendly.js";
import DOMPurify from "../vendor/dompurify.js";

import { finishedBlocks, heal } from "./blocks.js";
import { h, icon } from "./dom.js";
import { gettext } from "./i18n.js";

const LONGEST_HIGHLIGHTED = 50_000;
const INLINE_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);/;
const PURIFY = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "form", "input", "button", "textarea", "select", "iframe"],
  FORBID_ATTR: ["style", "id", "name"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#|data:image\/)/i,
  RETURN_DOM_FRAGMENT: true,
};

const md = new MarkdownIt({ html: false, linkify: true, breaks: true }).use(cjkFriendly);

// An image fetched from elsewhere tells its host what was read, without a click: it becomes a link.
md.renderer.rules.image = (tokens, index) => {
  const token = tokens[index];
  const source = md.utils.escapeHtml(token.attrGet("src") ?? "");
  const label = md.utils.escapeHtml(token.content || source);
  if (INLINE_IMAGE.test(source)) return `<img src="${source}" alt="${label}">`;
  return `<a class="image-link" href="${source}">${label}</a>`;
};

// Alignment as a class: a style attribute is what the content security policy refuses.
for (const rule of ["th_open", "td_open"]) {
  md.renderer.rules[rule] = (tokens, index, options, _env, renderer) => {
    const align = /text-align:(\w+)/.exec(tokens[index].attrGet("style") ?? "")?.[1];
    tokens[index].attrs = align ? [["class", `align-${align}`]] : null;
    return renderer.renderToken(tokens, index, options);
  };
}

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  node.setAttribute("rel", "noopener noreferrer nofollow");
  node.setAttribute("target", "_blank");
});

const fragment = (html) => DOMPurify.sanitize(html, PURIFY);
const render = (text) => fragment(md.render(text));

/** Shows one text, which may still be growing, inside `element`. */
export class MarkdownView {
  #text = null;
  #open = true;
  #committed = 0;
  #nodes = 0;

  constructor(element) {
    this.element = element;
  }

  /** `text` is all of it so far; `open` says that more may come. Costs what the open block costs. */
  update(text, open) {
    if (text === this.#text && open === this.#open) return;
    if (this.#text === null || !open || !text.startsWith(this.#text)) this.#restart();
    this.#text = text;
    this.#open = open;
    if (open) this.#grow();
    else this.#settle();
  }

  #restart() {
    this.#committed = 0;
    this.#nodes = 0;
  }

  #grow() {
    const rest = this.#text.slice(this.#committed);
    const finished = finishedBlocks(md, rest);
    this.#dropOpenBlock();
    if (finished) {
      const done = fragment(md.renderer.render(finished.tokens, md.options, finished.env));
      decorate(done);
      this.element.append(done);
      this.#committed += finished.length;
      this.#nodes = this.element.childNodes.length;
    }
    this.element.append(render(heal(this.#text.slice(this.#committed))));
  }

  // Once more as a whole: a link's target may be defined later than it is used. Where nothing differs,
  // nothing is touched, so that a selection stays.
  #settle() {
    const whole = render(this.#text);
    decorate(whole);
    if (h("div", {}, whole.cloneNode(true)).innerHTML !== this.element.innerHTML) this.element.replaceChildren(whole);
    highlightIn(this.element);
  }

  #dropOpenBlock() {
    while (this.element.childNodes.length > this.#nodes) this.element.lastChild.remove();
  }
}

function decorate(root) {
  for (const table of root.querySelectorAll("table")) {
    const scroller = h("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": gettext("Table") });
    table.replaceWith(scroller);
    scroller.append(table);
  }
  for (const pre of root.querySelectorAll("pre")) {
    const language = /language-([\w+#-]+)/.exec(pre.firstElementChild?.className ?? "")?.[1] ?? "";
    const copy = h("button", { type: "button", class: "quiet-button copy-code" }, icon("copy"), gettext("Copy"));
    const head = h("div", { class: "code-head" }, h("span", {}, language), copy);
    const block = h("div", { class: "code-block" }, head);
    pre.tabIndex = 0;
    pre.replaceWith(block);
    block.append(pre);
  }
}

// The highlighter is as large as all the rest: it is fetched when there is code to colour.
async function highlightIn(root) {
  const codes = [...root.querySelectorAll("pre > code[class*=language-]:not([data-highlighted])")];
  if (!codes.length) return;
  const { default: hljs } = await import("../vendor/highlight.js");
  for (const code of codes) {
    const language = /language-([\w+#-]+)/.exec(code.className)[1];
    code.dataset.highlighted = "";
    const source = code.textContent;
    if (!hljs.getLanguage(language) || source.length > LONGEST_HIGHLIGHTED) continue;
    code.replaceChildren(fragment(hljs.highlight(source, { language, ignoreIllegals: true }).value));
  }
}
