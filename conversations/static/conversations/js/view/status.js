// The one live region: says when work starts and ends, and nothing in between.

import { fill, gettext } from "../i18n.js";
import { errorSentence, statusWord } from "../words.js";

const SAYINGS = {
  "run.started": () => gettext("Working on your message."),
  "delegation.started": ({ display_name: agent }) => fill(gettext("%(agent)s has started."), { agent }),
  "delegation.finished": ({ delegation_id: id, status }, { run }) => {
    const agent = run.delegations.find((delegation) => delegation.id === id)?.display_name;
    return agent ? fill(gettext("%(agent)s: %(status)s."), { agent, status: statusWord(status) }) : null;
  },
  "run.finished": ({ status, error }) => {
    if (status === "failed") return errorSentence(error?.code);
    return status === "cancelled" ? gettext("Stopped.") : gettext("The answer is complete.");
  },
};

export class Announcer {
  constructor(node) {
    this.node = node;
  }

  hear(event, state) {
    const text = SAYINGS[event.type]?.(event, state);
    if (text) this.node.textContent = text;
  }
}
