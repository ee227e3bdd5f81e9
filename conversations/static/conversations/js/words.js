// What states, tiers and error codes are called, and how long things took, in the person's language.

import { fill, gettext, pgettext } from "./i18n.js";

const STATUS = {
  pending: () => gettext("Pending"),
  awaiting_approval: () => gettext("Awaiting approval"),
  queued: () => gettext("Queued"),
  running: () => gettext("Running"),
  waiting: () => gettext("Waiting"),
  completed: () => gettext("Completed"),
  failed: () => gettext("Failed"),
  timed_out: () => gettext("Timed out"),
  cancelled: () => gettext("Stopped"),
  skipped: () => gettext("Skipped"),
  rejected: () => gettext("Rejected"),
};

const TIER = {
  pending: () => pgettext("route", "Answer"),
  mention: () => pgettext("route", "Mention"),
  pinned: () => pgettext("route", "Choice"),
  rule: () => pgettext("route", "Rule"),
  keyword: () => pgettext("route", "Keyword"),
  similarity: () => pgettext("route", "Similarity"),
  model: () => pgettext("route", "Model"),
  follow_up: () => pgettext("route", "Follow-up"),
  fallback: () => pgettext("route", "Fallback"),
};

// What the tiers that need no model say in English, in the reader's language. What a rule's author or a model
// wrote is shown as it is.
const REASON = {
  pending: () => gettext("it asked the question that this answers"),
  mention: () => gettext("addressed in the message"),
  pinned: () => gettext("chosen by you"),
  keyword: ({ reason }) => /"(.+)"/.exec(reason)?.[0],
  similarity: ({ candidates }) => {
    const score = candidates?.[0]?.score;
    return score === undefined ? null : fill(gettext("its card is most like the question (%(score)s)"), { score: score.toFixed(2) });
  },
  follow_up: () => gettext("a follow-up to its last answer"),
  fallback: () => gettext("no card fits the question clearly"),
};

const ERROR = {
  CONVERSATION_LOCKED: () => gettext("This conversation is still working on the last message. Wait for it or stop it first."),
  AGENT_NOT_FOUND: () => gettext("There is no such agent here, or you may not use it."),
  AGENT_UNAVAILABLE: () => gettext("The agent cannot be reached right now."),
  AGENT_TIMEOUT: () => gettext("The agent took too long to answer."),
  AGENT_AUTH_FAILED: () => gettext("The agent did not accept our credentials. An administrator has to look at it."),
  AGENT_BAD_RESPONSE: () => gettext("The agent sent an answer that could not be read."),
  AGENT_FAILED: () => gettext("The agent said that it could not do this."),
  STREAM_INTERRUPTED: () => gettext("The answer broke off. What had arrived by then is kept."),
  CONTRACT_MISMATCH: () => gettext("The agent speaks a version of the contract that is not supported here."),
  CONTEXT_MISSING: () => gettext("The agent needs something that is not known yet."),
  MODEL_UNAVAILABLE: () => gettext("The language model cannot be reached right now."),
  RATE_LIMITED: () => gettext("Too many requests at once. Try again in a moment."),
  LIMIT_EXCEEDED: () => gettext("A limit was reached, so the work ended here."),
  RUN_CANCELLED: () => gettext("You stopped this."),
  RUN_INTERRUPTED: () => gettext("The server was restarted while it worked on this."),
  NOT_ALLOWED: () => gettext("You may not do this."),
  INVALID_INPUT: () => gettext("This message cannot be sent."),
  OFFLINE: () => gettext("The server cannot be reached."),
};

export const statusWord = (status) => STATUS[status]?.() ?? status;
/** Why a route chose whom it chose. */
export const routeReason = (route) => REASON[route.tier]?.(route) ?? route.reason;
export const tierWord = (tier) => TIER[tier]?.() ?? tier;
export const errorSentence = (code) => ERROR[code]?.() ?? gettext("Something went wrong on our side.");

/** Why a delegation failed, in a sentence; "" when it did not, or was stopped on purpose. */
export const whatWentWrong = ({ status, error }) => (error && status !== "cancelled" ? errorSentence(error.code) : "");

/** `950 ms`, `3.2 s`, `1 min 05 s`. */
export function duration(ms) {
  if (ms < 1000) return fill(gettext("%(n)s ms"), { n: Math.round(ms) });
  if (ms < 59_950) return fill(gettext("%(n)s s"), { n: (ms / 1000).toFixed(1) });
  const seconds = Math.round(ms / 1000);
  const rest = String(seconds % 60).padStart(2, "0");
  return fill(gettext("%(minutes)s min %(seconds)s s"), { minutes: Math.floor(seconds / 60), seconds: rest });
}
