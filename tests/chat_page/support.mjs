// Events and snapshots for the tests, as short as they can be.

export const RUN = "11111111-1111-4111-8111-111111111111";
export const AT = "2026-11-30T12:00:00.000Z";

export const question = (id = "q1", extra = {}) => ({
  id,
  run: RUN,
  role: "user",
  agent: null,
  content: "P0171?",
  status: "complete",
  citations: [],
  usage: {},
  client_id: null,
  created_at: AT,
  ...extra,
});

export function started(extra = {}) {
  const message = question();
  return { type: "run.started", run: RUN, seq: 1, at: AT, conversation: "c", trace_id: "t", message_id: message.id,
    message, retry_of: null, ...extra };
}

export const event = (type, seq, extra = {}) => ({ type, run: RUN, at: AT, seq, ...extra });

export const delta = (offset, text, extra = {}) => ({ type: "message.delta", run: RUN, at: AT, message_id: "a1",
  delegation_id: "d1", offset, text, ...extra });

export const delegationStarted = (seq, id = "d1", extra = {}) =>
  event("delegation.started", seq, { delegation_id: id, parent: null, position: 0, agent: "diagnosis_agent",
    display_name: "Diagnosis", version: "1.0.0", task: "P0171?", ...extra });

export const delegationFinished = (seq, id = "d1", extra = {}) =>
  event("delegation.finished", seq, { delegation_id: id, agent: "diagnosis_agent", status: "completed", result: "lean",
    error: null, citations: [], usage: {}, first_token_ms: 5, duration_ms: 20, attempts: 1, empty: false, ...extra });

export const routed = (seq) =>
  event("route.decided", seq, { tier: "keyword", mode: "single", agents: [], reason: "“P0171”", confidence: 1,
    candidates: [], duration_ms: 1 });

export const messageStarted = (seq) => event("message.started", seq, { message_id: "a1", agent: "diagnosis_agent" });

export const messageCompleted = (seq, content, extra = {}) =>
  event("message.completed", seq, { message_id: "a1", content, status: "complete", citations: [], usage: {}, ...extra });

export const runFinished = (seq, extra = {}) =>
  event("run.finished", seq, { status: "completed", error: null, usage: {}, first_token_ms: 5, duration_ms: 30, ...extra });

export const story = () => [
  started(),
  routed(2),
  delegationStarted(3),
  messageStarted(4),
  delta(0, "混合"),
  delta(2, "气🔧"),
  delta(4, " lean"),
  delegationFinished(5, "d1", { result: "混合气🔧 lean" }),
  messageCompleted(6, "混合气🔧 lean"),
  runFinished(7),
];
