// One turn: the question, what was done for it, the answer, and how it ended if it did not end well.

import { h, icon, reconcile, setText } from "../dom.js";
import { gettext } from "../i18n.js";
import { MarkdownView } from "../markdown.js";
import { isUnderWay } from "../reducer.js";
import { errorSentence } from "../words.js";
import { ActivityCard } from "./card.js";
import { avatar, sources } from "./parts.js";

export function questionView(content, pending = false) {
  return h(
    "article",
    { class: "message message-user", dataset: { testid: "message-user", ...(pending && { pending: "true" }) } },
    h("h2", { class: "visually-hidden" }, gettext("You")),
    h("div", { class: "bubble" }, content),
  );
}

export class Turn {
  #turn = {};
  #cards = new Map();
  #answer = null;

  constructor(turn, agents) {
    this.agents = agents;
    this.question = h("div", { class: "turn-question" });
    this.cards = h("ul", { class: "cards", "aria-label": gettext("Agents at work") });
    this.thinking = h("p", { class: "thinking" }, h("span", { class: "pulse" }), gettext("Choosing who answers…"));
    this.answer = h("div", { class: "turn-answer" });
    this.end = h("div", { class: "turn-end" });
    this.element = h("div", { class: "turn" }, this.question, this.cards, this.thinking, this.answer, this.end);
  }

  /** `isLast`: only the latest run can be retried. */
  update(turn) {
    const before = this.#turn;
    this.#turn = turn;
    if (turn.message !== before.message) {
      this.question.replaceChildren(...(turn.message ? [questionView(turn.message.content)] : []));
    }
    if (turn.run !== before.run || turn.answer !== before.answer) {
      this.#showCards(turn);
      this.#showAnswer(turn);
    }
    if (turn.run !== before.run || turn.isLast !== before.isLast) this.#showEnd(turn);
    const { run } = turn;
    this.thinking.hidden = !(isUnderWay(run) && run.status !== "waiting" && !run.delegations.length && !turn.answer);
  }

  remove() {
    for (const card of this.#cards.values()) card.remove();
  }

  #showCards({ run, answer }) {
    const items = (run?.delegations ?? []).map((delegation) => ({
      delegation,
      route: run.route,
      isAnswer: answer !== null && answer.agent === delegation.agent && delegation.result === answer.content,
    }));
    this.cards.hidden = items.length === 0;
    reconcile(this.cards, this.#cards, items, ({ delegation }) => delegation.id,
      ({ delegation }) => new ActivityCard(delegation, this.agents));
  }

  #showAnswer({ run, answer }) {
    if (!answer) {
      this.#answer = null;
      this.answer.replaceChildren();
      return;
    }
    if (!this.#answer) {
      this.#answer = new Answer(this.#speaker(run, answer));
      this.answer.replaceChildren(this.#answer.element);
    }
    this.#answer.update(answer);
  }

  #speaker(run, { agent }) {
    if (!agent) return null;
    const delegation = run?.delegations.find((other) => other.agent === agent);
    return this.agents.get(agent, delegation?.display_name);
  }

  #showEnd({ run, isLast }) {
    this.end.replaceChildren(...(run ? ending(run, isLast) : []));
  }
}

class Answer {
  #message = null;

  constructor(speaker) {
    this.body = h("div", { class: "markdown" });
    this.markdown = new MarkdownView(this.body);
    this.foot = h("div", { class: "answer-foot" });
    const name = h("h2", { class: "speaker" }, speaker ? avatar(speaker) : avatar({ display_name: "F", tone: "none" }),
      speaker?.display_name ?? gettext("Supervisor"));
    this.element = h("article", { class: "message message-assistant", dataset: { testid: "message-assistant" } },
      name, this.body, this.foot);
  }

  update(message) {
    if (message === this.#message) return;
    const isOpen = message.status === "streaming";
    this.element.dataset.status = message.status;
    this.element.setAttribute("aria-busy", String(isOpen));
    this.markdown.update(message.content, isOpen);
    if (!isOpen) this.#finish(message);
    this.#message = message;
  }

  #finish({ status, citations, content }) {
    const partial = status === "partial" ? h("p", { class: "partial" }, icon("alert"), gettext("This answer is incomplete.")) : null;
    const copy = h("button", { type: "button", class: "quiet-button copy-answer", dataset: { text: content } },
      icon("copy"), gettext("Copy"));
    this.foot.replaceChildren(...[partial, sources(citations), content ? copy : null].filter(Boolean));
  }
}

/** What asking again cannot mend, unless the error itself says that it can. */
const SETTLED = new Set([
  "AGENT_AUTH_FAILED", "AGENT_NOT_FOUND", "CONTEXT_MISSING", "CONTRACT_MISMATCH", "INVALID_INPUT", "LIMIT_EXCEEDED", "NOT_ALLOWED",
]);

function ending(run, isLast) {
  const again = isLast
    ? h("button", { type: "button", class: "button", dataset: { testid: "retry", run: run.id } }, icon("retry"), gettext("Try again"))
    : null;
  if (run.status === "cancelled") {
    return [h("div", { class: "note-card" }, h("p", {}, icon("stop"), gettext("You stopped this.")), again)];
  }
  if (run.status !== "failed") return [];
  const error = run.error ?? { code: "INTERNAL", message: "", retryable: true };
  const code = h("code", {}, error.code);
  const details = h("details", {}, h("summary", {}, gettext("Details")), error.message ? h("p", {}, error.message) : null,
    h("p", {}, code, " · ", h("span", {}, `${gettext("Trace")} `, h("code", {}, run.trace_id))));
  return [
    h("section", { class: "error-card", dataset: { testid: "run-error", code: error.code }, "aria-label": gettext("Error") },
      h("p", { class: "error-title" }, icon("alert"), errorSentence(error.code)), details,
      error.retryable || !SETTLED.has(error.code) ? again : null),
  ];
}
