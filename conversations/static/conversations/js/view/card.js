// One delegation in the thread: who was asked for what, how it goes, and on demand what came back.

import { h, icon, setText } from "../dom.js";
import { fill, gettext } from "../i18n.js";
import { MarkdownView } from "../markdown.js";
import { isOpen } from "../reducer.js";
import { whatWentWrong } from "../words.js";
import * as clock from "./clock.js";
import { avatar, showWhy, statusBadge } from "./parts.js";

export class ActivityCard {
  #delegation = null;
  #route = undefined;
  #isAnswer = null;
  #touched = false;

  constructor(delegation, agents) {
    const agent = agents.get(delegation.agent, delegation.display_name);
    this.time = h("span", { class: "time" });
    this.status = h("span", { class: "status-slot" });
    this.why = h("p", { class: "why" });
    this.tools = h("ul", { class: "tools" });
    this.error = h("p", { class: "error-line" });
    this.result = h("div", { class: "markdown" });
    this.markdown = new MarkdownView(this.result);
    const summary = h(
      "summary",
      { onclick: () => (this.#touched = true) },
      avatar(agent),
      h("span", { class: "card-name" }, delegation.display_name),
      h("span", { class: "card-task" }, delegation.task),
      this.time,
      this.status,
      icon("chevron"),
    );
    const version = h("p", { class: "why" }, fill(gettext("Version %(version)s"), delegation));
    const body = h("div", { class: "card-body" }, this.why, version, this.tools, this.error, this.result);
    this.details = h("details", {}, summary, body);
    this.element = h(
      "li",
      { class: `card tone-${agent.tone}`, dataset: { testid: `activity-card-${delegation.agent}` } },
      this.details,
    );
  }

  /** `isAnswer`: its words are the message below, and need not be said twice. */
  update({ delegation, route, isAnswer }) {
    if (route !== this.#route) {
      this.#route = route;
      showWhy(this.why, route);
    }
    if (delegation === this.#delegation && isAnswer === this.#isAnswer) return;
    const before = this.#delegation;
    this.#delegation = delegation;
    this.#isAnswer = isAnswer;
    if (delegation.status !== before?.status || delegation.empty !== before?.empty) this.#move(delegation);
    if (delegation.tools !== before?.tools) this.#list(delegation.tools);
    setText(this.error, whatWentWrong(delegation));
    this.#show(isAnswer ? "" : delegation.result, isOpen(delegation));
  }

  remove() {
    clock.forget(this.time);
  }

  #move({ status, empty, started_at: since, duration_ms: ms }) {
    this.element.dataset.status = status;
    this.status.replaceChildren(statusBadge(status, empty));
    if (status === "running") clock.start(this.time, since);
    else clock.stop(this.time, ms);
  }

  #list(tools) {
    this.tools.replaceChildren(...tools.map(({ name }) => h("li", {}, icon("tool"), name)));
  }

  // Agents that work side by side are read while they write; afterwards their answer stands below.
  #show(text, open) {
    this.result.hidden = !text;
    if (text) this.markdown.update(text, open);
    if (!this.#touched) this.details.open = Boolean(text) && open;
  }
}
