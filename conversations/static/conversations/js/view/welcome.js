// What an empty conversation shows: questions that the agents' own cards give as examples.

import { h, icon } from "../dom.js";
import { gettext } from "../i18n.js";
import { avatar } from "./parts.js";

const SUGGESTIONS = 6;
const HAN = /\p{Script=Han}/u;

/** Up to `count` `{ agent, text }`, one per agent before a second of any, in the reader's script where possible. */
export function suggestions(agents, isChinese, count = SUGGESTIONS) {
  const queues = agents.map((agent) => {
    const [first, second] = [[], []];
    for (const text of agent.examples) (HAN.test(text) === isChinese ? first : second).push({ agent, text });
    return [...first, ...second];
  });
  const picked = [];
  for (let round = 0; picked.length < count && queues.some((queue) => queue.length > round); round += 1) {
    for (const queue of queues) if (queue[round]) picked.push(queue[round]);
  }
  return picked.slice(0, count);
}

export class Welcome {
  /** `fallback` names the agent that takes what nobody else does: no example of what can be asked here. */
  constructor({ root, agents, fallback, onPick }) {
    this.root = root;
    const isChinese = document.documentElement.lang.startsWith("zh");
    const asked = agents.entries.filter(({ name }) => name !== fallback);
    const chips = suggestions(asked, isChinese).map(({ agent, text }) =>
      h("li", {},
        h("button", { type: "button", class: "suggestion", onclick: () => onPick(text) },
          avatar(agents.get(agent.name)),
          h("span", { class: "suggestion-text" }, text, h("small", {}, agent.display_name)),
          icon("arrow"))));
    const list = h("ul", { class: "suggestions", "aria-label": gettext("Suggestions") }, ...chips);
    root.querySelector("[data-part=suggestions]").replaceChildren(list);
  }

  update({ state, pending, ready }) {
    this.root.hidden = !ready || state.messages.length > 0 || pending !== null;
  }
}
