// One row of the log, there from the moment the work begins.

import { h, icon, setText } from "../dom.js";
import { fill, gettext, ngettext } from "../i18n.js";
import { whatWentWrong } from "../words.js";
import * as clock from "./clock.js";
import { avatar, showWhy, statusBadge } from "./parts.js";

const DEEPEST_INDENT = 4;

export class DelegationRow {
  #delegation = null;
  #route = undefined;

  constructor({ delegation, depth, index }, agents) {
    const agent = agents.get(delegation.agent, delegation.display_name);
    this.status = h("span", { class: "status-slot" });
    this.why = h("p", { class: "why" });
    this.time = h("span", { class: "time" });
    this.facts = h("span", {});
    this.error = h("p", { class: "error-line" });
    this.result = h("p", { class: "result-text" });
    this.more = h("details", { class: "result" }, h("summary", {}, icon("chevron"), gettext("Result")), this.result);
    this.element = h(
      "li",
      {
        class: `row tone-${agent.tone} depth-${Math.min(depth, DEEPEST_INDENT)}`,
        dataset: { testid: "delegation-entry", agent: delegation.agent },
      },
      h("div", { class: "row-head" },
        h("span", { class: "row-index" }, `#${index}`),
        avatar(agent),
        h("span", { class: "row-name", title: delegation.agent }, delegation.display_name),
        this.status),
      h("p", { class: "row-task" }, delegation.task),
      this.why,
      this.error,
      h("p", { class: "row-facts" }, this.time, h("span", {}, `v${delegation.version}`), this.facts),
      this.more,
    );
  }

  update({ delegation, route }) {
    if (route !== this.#route) {
      this.#route = route;
      showWhy(this.why, route);
    }
    if (delegation === this.#delegation) return;
    const before = this.#delegation;
    this.#delegation = delegation;
    if (delegation.status !== before?.status || delegation.empty !== before?.empty) this.#move(delegation);
    setText(this.error, whatWentWrong(delegation));
    setText(this.facts, facts(delegation).join(" · "));
    setText(this.result, delegation.result);
    this.more.hidden = !delegation.result;
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
}

function facts({ usage, attempts, tools }) {
  const tokens = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  return [
    tokens ? fill(ngettext("%(n)s token", "%(n)s tokens", tokens), { n: tokens.toLocaleString() }) : null,
    attempts > 1 ? fill(ngettext("%(n)s attempt", "%(n)s attempts", attempts), { n: attempts }) : null,
    tools.length ? fill(ngettext("%(n)s tool call", "%(n)s tool calls", tools.length), { n: tools.length }) : null,
  ].filter(Boolean);
}
