// One mark per agent: whether it was asked in this conversation, and how often.

import { h, reconcile, setText } from "../dom.js";
import { fill, gettext } from "../i18n.js";
import { isOpen } from "../reducer.js";
import { avatar } from "./parts.js";

const SHOWN_AT_REST = 12;

export class Indicators {
  #marks = new Map();
  #all = false;
  #delegations = [];

  constructor(root, agents) {
    this.agents = agents;
    this.list = h("ul", { class: "indicators", "aria-label": gettext("Agents") });
    this.more = h("button", { type: "button", class: "quiet-button", onclick: () => this.#toggle() });
    root.replaceChildren(this.list, this.more);
    this.update([]);
  }

  update(delegations) {
    this.#delegations = delegations;
    const calls = new Map();
    for (const { agent, display_name: shown } of delegations) {
      if (!calls.has(agent)) calls.set(agent, { shown, count: 0, isBusy: false });
    }
    for (const delegation of delegations) {
      const call = calls.get(delegation.agent);
      call.count += 1;
      call.isBusy ||= isOpen(delegation);
    }
    const gone = [...calls].filter(([name]) => !this.agents.byName.has(name)).map(([name]) => name);
    const names = [...this.agents.byName.keys(), ...gone];
    const marks = names
      .map((name, index) => ({ name, index, ...(calls.get(name) ?? { shown: null, count: 0, isBusy: false }) }))
      .filter(({ index, count }) => this.#all || index < SHOWN_AT_REST || count > 0);
    reconcile(this.list, this.#marks, marks, ({ name }) => name,
      ({ name, shown }) => new Mark(this.agents.get(name, shown)));
    this.more.hidden = names.length <= SHOWN_AT_REST;
    setText(this.more, this.#all ? gettext("Show fewer") : fill(gettext("Show all %(n)s"), { n: names.length }));
  }

  #toggle() {
    this.#all = !this.#all;
    this.update(this.#delegations);
  }
}

class Mark {
  constructor(agent) {
    this.count = h("span", { class: "indicator-count" });
    this.element = h(
      "li",
      { class: `indicator tone-${agent.tone}`, dataset: { testid: `agent-indicator-${agent.name}` } },
      avatar(agent),
      h("span", {}, agent.display_name),
      this.count,
    );
  }

  update({ count, isBusy }) {
    this.element.dataset.fired = String(count > 0);
    this.element.dataset.busy = String(isBusy);
    setText(this.count, count ? `×${count}` : "");
  }
}
