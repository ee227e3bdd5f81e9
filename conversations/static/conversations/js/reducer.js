// The one reducer: what a snapshot says and what events add to it. Pure, and safe to repeat: a structural
// event that is already in changes nothing (by `seq`), nor does a delta (by `offset`).
//
// state = { messages, run, runs, points }: the server's snapshot, and for each text that is still open
// its length in code points, so that no delta has to count a long text again.

import { countPoints, dropPoints } from "./text.js";

export const EMPTY = Object.freeze({ messages: [], run: null, runs: [], points: {} });

const UNDER_WAY = new Set(["queued", "running", "waiting"]);
const DELEGATION_OPEN = new Set(["pending", "awaiting_approval", "running"]);

/** Whether `run` still works or waits. */
export const isUnderWay = (run) => run !== null && UNDER_WAY.has(run.status);
/** Whether `delegation` has not ended yet. */
export const isOpen = (delegation) => DELEGATION_OPEN.has(delegation.status);

/** The state that a `hello` brings. */
export function fromSnapshot({ messages, run, runs }) {
  const points = {};
  for (const message of messages) {
    if (message.status === "streaming") points[message.id] = countPoints(message.content);
  }
  for (const delegation of run?.delegations ?? []) {
    if (isOpen(delegation)) points[delegation.id] = countPoints(delegation.result);
  }
  return { messages, run, runs, points };
}

/**
 * Whether something before `event` was lost: the run has to be followed again from its last `seq`.
 * Such an event must not be applied.
 */
export function leavesGap(state, event) {
  if (event.type === "run.started" || event.run !== state.run?.id) return false;
  if (event.seq !== undefined) return event.seq > state.run.seq + 1;
  const length = state.points[event.message_id ?? event.delegation_id];
  return length !== undefined && event.offset > length;
}

/** The state after `event`; the very same object when the event brings nothing new. */
export function reduce(state, event) {
  if (event.type === "run.started") return startRun(state, event);
  if (event.run !== state.run?.id) return state;
  if (event.seq === undefined) return applyDelta(state, event);
  if (event.seq <= state.run.seq) return state;
  const apply = STRUCTURAL[event.type];
  const next = apply ? apply(state, event) : state;
  return { ...next, run: { ...next.run, seq: event.seq } };
}

function startRun(state, event) {
  const current = state.run;
  const known = current?.id === event.run;
  if ((known && event.seq <= current.seq) || state.runs.some((run) => run.id === event.run)) return state;
  const { message } = event;
  const isNew = message && !state.messages.some((other) => other.id === message.id);
  return {
    messages: isNew ? [...state.messages, message] : state.messages,
    runs: current && !known ? [...state.runs, current] : state.runs,
    run: {
      id: event.run,
      status: "running",
      seq: event.seq,
      trace_id: event.trace_id,
      message_id: event.message_id,
      retry_of: event.retry_of ?? null,
      route: null,
      delegations: [],
      answer_id: null,
      error: null,
      usage: {},
      first_token_ms: null,
      duration_ms: null,
      started_at: event.at,
      finished_at: null,
    },
    points: {},
  };
}

const STRUCTURAL = {
  "route.decided": (state, { tier, mode, agents, reason, confidence, candidates, duration_ms }) =>
    withRun(state, { route: { tier, mode, agents, reason, confidence, candidates, duration_ms } }),

  "delegation.started": (state, event) => {
    const { delegation_id: id, parent, position, agent, display_name, version, task, at } = event;
    if (state.run.delegations.some((delegation) => delegation.id === id)) return state;
    const delegation = {
      id,
      parent: parent ?? null,
      position,
      agent,
      display_name,
      version,
      task,
      status: "running",
      result: "",
      error: null,
      citations: [],
      tools: [],
      usage: {},
      first_token_ms: null,
      duration_ms: null,
      attempts: 1,
      empty: false,
      started_at: at,
      finished_at: null,
    };
    const next = withRun(state, { delegations: [...state.run.delegations, delegation] });
    return withPoints(next, id, 0);
  },

  "delegation.tool": (state, event) =>
    withDelegation(state, event.delegation_id, ({ tools }) => ({
      tools: [...tools, { name: event.name, arguments: event.arguments ?? {} }],
    })),

  "delegation.finished": (state, event) => {
    const next = withDelegation(state, event.delegation_id, () => ({
      status: event.status,
      result: event.result,
      error: event.error ?? null,
      citations: event.citations ?? [],
      usage: event.usage ?? {},
      first_token_ms: event.first_token_ms ?? null,
      duration_ms: event.duration_ms ?? null,
      attempts: event.attempts ?? 1,
      empty: event.empty ?? false,
      finished_at: event.at,
    }));
    return withoutPoints(next, event.delegation_id);
  },

  "message.started": (state, event) => {
    const { message_id: id, run, agent, at } = event;
    const next = withRun(state, { answer_id: id });
    if (state.messages.some((message) => message.id === id)) return next;
    const message = {
      id,
      run,
      role: "assistant",
      agent: agent ?? null,
      content: "",
      status: "streaming",
      citations: [],
      usage: {},
      client_id: null,
      created_at: at,
    };
    return withPoints({ ...next, messages: [...next.messages, message] }, id, 0);
  },

  "message.completed": (state, event) => {
    const next = withMessage(state, event.message_id, () => ({
      content: event.content,
      status: event.status,
      citations: event.citations ?? [],
      usage: event.usage ?? {},
    }));
    return withoutPoints(next, event.message_id);
  },

  "run.finished": (state, event) => ({
    ...withRun(state, {
      status: event.status,
      error: event.error ?? null,
      usage: event.usage ?? {},
      first_token_ms: event.first_token_ms ?? null,
      duration_ms: event.duration_ms ?? null,
      finished_at: event.at,
    }),
    points: {},
  }),
};

function applyDelta(state, event) {
  const isMessage = event.type === "message.delta";
  const id = isMessage ? event.message_id : event.delegation_id;
  const length = state.points[id];
  if (length === undefined || event.offset > length) return state;
  const end = event.offset + countPoints(event.text);
  if (end <= length) return state;
  const fresh = dropPoints(event.text, length - event.offset);
  const next = isMessage
    ? withMessage(state, id, ({ content }) => ({ content: content + fresh }))
    : withDelegation(state, id, ({ result }) => ({ result: result + fresh }));
  return withPoints(next, id, end);
}

const withRun = (state, changes) => ({ ...state, run: { ...state.run, ...changes } });

const withPoints = (state, id, length) => ({ ...state, points: { ...state.points, [id]: length } });

function withoutPoints(state, id) {
  const { [id]: _closed, ...points } = state.points;
  return { ...state, points };
}

const change = (items, id, changes) =>
  items.map((item) => (item.id === id ? { ...item, ...changes(item) } : item));

const withMessage = (state, id, changes) => ({ ...state, messages: change(state.messages, id, changes) });

const withDelegation = (state, id, changes) =>
  withRun(state, { delegations: change(state.run.delegations, id, changes) });
