// The right column: who was asked, in the order it happened, grouped by run.

import { h, icon, reconcile, setText } from "../dom.js";
import { fill, gettext, ngettext } from "../i18n.js";
import { isUnderWay } from "../reducer.js";
import { Follower } from "./follow.js";
import { Indicators } from "./indicators.js";
import { statusBadge } from "./parts.js";
import { DelegationRow } from "./row.js";

export class Log {
  #groups = new Map();
  #run = undefined;
  #runs = undefined;

  constructor({ root, agents, tabCount }) {
    this.agents = agents;
    this.tabCount = tabCount;
    this.groups = root.querySelector("[data-part=groups]");
    this.count = root.querySelector("[data-testid=delegation-count]");
    this.running = root.querySelector("[data-testid=supervisor-running]");
    this.follower = new Follower(root.querySelector("[data-part=body]"));
    this.empty = root.querySelector("[data-part=empty]");
    this.indicators = new Indicators(root.querySelector("[data-part=indicators]"), agents);
  }

  update({ state }) {
    if (state.run === this.#run && state.runs === this.#runs) return;
    this.#run = state.run;
    this.#runs = state.runs;
    const runs = state.run ? [...state.runs, state.run] : state.runs;
    const questions = new Map(state.messages.map((message) => [message.id, message.content]));
    let total = 0;
    const groups = runs.map((run, index) => {
      const first = total + 1;
      total += run.delegations.length;
      return { run, first, turn: index + 1, question: questions.get(run.message_id) ?? "" };
    });
    reconcile(this.groups, this.#groups, groups, ({ run }) => run.id, (group) => new Group(group, this.agents));
    this.#head(total, isUnderWay(state.run));
    this.indicators.update(runs.flatMap((run) => run.delegations));
    this.follower.grown();
  }

  /** It was not shown, and is now. */
  shown() {
    this.follower.grown();
  }

  #head(total, isRunning) {
    setText(this.count, fill(ngettext("%(n)s delegation", "%(n)s delegations", total), { n: total }));
    setText(this.tabCount, total ? String(total) : "");
    this.running.hidden = !isRunning;
    this.empty.hidden = this.#groups.size > 0;
  }
}

class Group {
  #run = null;
  #rows = new Map();

  constructor({ turn, question, run }, agents) {
    this.agents = agents;
    this.status = h("span", { class: "status-slot" });
    const title = fill(gettext("Run %(n)s"), { n: turn });
    const again = run.retry_of ? h("span", { class: "group-retry" }, icon("retry"), gettext("Again")) : null;
    this.none = h("p", { class: "group-none" });
    this.rows = h("ol", { class: "rows" });
    this.element = h(
      "section",
      { class: "group", "aria-label": title },
      h("header", {}, h("h3", {}, title), again, h("span", { class: "group-question", title: question }, question), this.status),
      this.rows,
      this.none,
    );
  }

  update({ run, first }) {
    if (run === this.#run) return;
    if (run.status !== this.#run?.status) this.status.replaceChildren(statusBadge(run.status));
    this.#run = run;
    const rows = inTree(run.delegations).map(({ delegation, depth }) => ({
      delegation,
      depth,
      index: first + run.delegations.indexOf(delegation),
      route: run.route,
    }));
    reconcile(this.rows, this.#rows, rows, ({ delegation }) => delegation.id,
      (row) => new DelegationRow(row, this.agents));
    this.none.hidden = rows.length > 0;
    setText(this.none, isUnderWay(run) ? gettext("Choosing who answers…") : gettext("Nobody was asked."));
  }

  remove() {
    for (const row of this.#rows.values()) row.remove();
  }
}

/** Delegations with their depth, each under its parent, siblings in the order they began. */
function inTree(delegations) {
  const children = new Map();
  for (const delegation of delegations) {
    const parent = delegations.some(({ id }) => id === delegation.parent) ? delegation.parent : null;
    children.set(parent, [...(children.get(parent) ?? []), delegation]);
  }
  const walk = (parent, depth) =>
    (children.get(parent) ?? []).flatMap((delegation) => [{ delegation, depth }, ...walk(delegation.id, depth + 1)]);
  return walk(null, 0);
}
