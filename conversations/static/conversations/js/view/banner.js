// Who works right now, on what, for how long.

import { setText } from "../dom.js";
import { fill, gettext, ngettext } from "../i18n.js";
import { isUnderWay } from "../reducer.js";
import * as clock from "./clock.js";

export class Banner {
  #run = undefined;
  #since = null;

  constructor(root) {
    this.root = root;
    this.who = root.querySelector("[data-part=who]");
    this.task = root.querySelector("[data-part=task]");
    this.time = root.querySelector("[data-part=time]");
  }

  update({ state: { run } }) {
    if (run === this.#run) return;
    this.#run = run;
    this.root.hidden = !isUnderWay(run);
    if (this.root.hidden) {
      this.#since = null;
      clock.stop(this.time);
      return;
    }
    const working = run.delegations.filter(({ status }) => status === "running");
    setText(this.who, headline(run, working));
    setText(this.task, working.length === 1 ? working[0].task : working.map((one) => one.display_name).join(" · "));
    const since = (working[0] ?? run).started_at;
    if (since && since !== this.#since) clock.start(this.time, since);
    this.#since = since;
  }
}

function headline(run, working) {
  if (run.status === "waiting") return gettext("Waiting for you");
  if (working.length === 1) return fill(gettext("%(agent)s is working"), { agent: working[0].display_name });
  if (working.length > 1) {
    return fill(ngettext("%(n)s agent is working", "%(n)s agents are working", working.length), { n: working.length });
  }
  return run.route ? gettext("The supervisor is finishing") : gettext("The supervisor is choosing who answers");
}
