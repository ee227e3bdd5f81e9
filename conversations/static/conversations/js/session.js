// What the person does and what the server says, brought together: the page's only state. No DOM in here.

import { newId } from "./ids.js";
import { EMPTY, fromSnapshot, isUnderWay, leavesGap, reduce } from "./reducer.js";
import * as storage from "./storage.js";

const FOLLOW_AGAIN_MS = 1000;

/**
 * Ports: `socket` (a ChatSocket), `api` (createConversation, pinAgent), `socketUrl(id)`, and what happens to
 * the outside: `changed()`, `heard(event, state)`, `created(conversation)`, `refused({ code, message, text })`.
 */
export class Session {
  conversation = null;
  state = EMPTY;
  /** The message that the server has not confirmed yet: `{ client_id, content, agent }`. */
  pending = null;
  stopping = false;
  /** Whether what is shown comes from the server (and is not still being fetched). */
  ready = true;
  #askedAt = -Infinity;
  #pinning = Promise.resolve();
  /** Whom the person chose since the conversation was opened: a snapshot on its way may not know yet. */
  #chosen = null;
  #visit = 0;

  constructor(ports) {
    this.ports = ports;
  }

  get busy() {
    return this.pending !== null || isUnderWay(this.state.run);
  }

  /** Shows conversation `id`, or an empty one for null. */
  show(id) {
    this.#visit += 1;
    this.conversation = id ? { id, title: "", agent: "" } : null;
    this.state = EMPTY;
    this.stopping = false;
    this.ready = !id;
    this.pending = null;
    this.#chosen = null;
    if (id) this.ports.socket.connect(this.ports.socketUrl(id));
    else this.ports.socket.close();
    this.ports.changed();
  }

  /** Asks. False when something is still being answered: the text stays with the person. */
  async send(content, agent) {
    if (this.busy) return false;
    const pending = { client_id: newId(), content, agent };
    this.pending = pending;
    this.stopping = false;
    this.ports.changed();
    if (!this.conversation) await this.#create(pending);
    else await this.#pinning;
    if (this.pending === pending) this.#flush();
    return true;
  }

  /** Stops what runs, also before the server has said that it does. */
  stop() {
    this.stopping = true;
    this.#cancel();
    this.ports.changed();
  }

  retry(runId, delegationId = null) {
    const frame = { type: "run.retry", run: runId };
    if (delegationId) frame.delegation_id = delegationId;
    return !this.busy && this.ports.socket.send(frame);
  }

  /** Chooses who answers in this conversation; "" leaves it to the supervisor. */
  pin(agent) {
    if (!this.conversation) return;
    const { id, agent: before } = this.conversation;
    this.conversation = { ...this.conversation, agent };
    this.#chosen = agent;
    this.#pinning = this.ports.api.pinAgent(id, agent).catch(({ code, message }) => {
      if (this.conversation?.id !== id) return;
      this.conversation = { ...this.conversation, agent: before };
      this.#chosen = null;
      this.ports.refused({ code, message, text: null });
      this.ports.changed();
    });
  }

  /** The server will not have this socket: what was on its way comes back. */
  drop() {
    if (this.pending) this.#refuse({ code: null, message: null, client_id: this.pending.client_id });
  }

  /** One frame of the socket. */
  hear(frame) {
    if (frame.type === "hello") this.#greet(frame);
    else if (frame.type === "error") this.#refuse(frame);
    else this.#apply(frame);
  }

  async #create(pending) {
    const visit = this.#visit;
    try {
      const conversation = await this.ports.api.createConversation({
        title: titleOf(pending.content),
        ...(pending.agent && { agent: pending.agent }),
      });
      if (visit !== this.#visit) return;
      this.conversation = conversation;
      this.#remember();
      this.ports.created(conversation);
      this.ports.socket.connect(this.ports.socketUrl(conversation.id));
    } catch ({ code, message }) {
      if (visit === this.#visit) this.#refuse({ code, message, client_id: pending.client_id });
    }
  }

  #greet({ conversation, state }) {
    this.conversation = this.#chosen === null ? conversation : { ...conversation, agent: this.#chosen };
    this.state = fromSnapshot(state);
    this.ready = true;
    this.#askedAt = -Infinity;
    this.#settlePending();
    // Lost on its way, or never sent: the same client id makes it one message however often it is sent.
    if (this.pending) this.#flush();
    if (this.stopping) this.#cancel();
    this.ports.changed();
  }

  #apply(event) {
    if (leavesGap(this.state, event)) {
      this.#follow();
      return;
    }
    const before = this.state;
    this.state = reduce(before, event);
    if (this.state === before) return;
    if (event.type === "run.started") {
      this.#settlePending();
      if (this.stopping) this.#cancel();
    }
    if (event.type === "run.finished") this.stopping = false;
    if (event.seq !== undefined) this.ports.heard(event, this.state);
    this.ports.changed();
  }

  #refuse({ code, message, client_id: clientId = null }) {
    const isPending = clientId !== null && this.pending?.client_id === clientId;
    if (clientId !== null && !isPending) return;
    const text = isPending ? this.pending.content : null;
    if (isPending) {
      this.pending = null;
      this.stopping = false;
      this.#remember();
    }
    this.ports.refused({ code, message, text });
    this.ports.changed();
  }

  #flush() {
    const { client_id, content, agent } = this.pending;
    this.#remember();
    this.ports.socket.send({ type: "run.start", input: content, client_id, ...(agent && { agent }) });
  }

  #settlePending() {
    const outbox = this.conversation && storage.read(outboxKey(this.conversation.id));
    const pending = this.pending ?? outbox;
    if (!pending) return;
    const arrived = this.state.messages.some((message) => message.client_id === pending.client_id);
    if (arrived) {
      this.pending = null;
      this.#remember();
    } else if (!this.pending) {
      // The page was left before the server had it: back into the composer, for the person to decide.
      this.#remember();
      this.ports.refused({ code: null, message: null, text: pending.content });
    }
  }

  #cancel() {
    const { run } = this.state;
    if (isUnderWay(run)) this.ports.socket.send({ type: "run.cancel", run: run.id });
  }

  #follow() {
    const now = performance.now();
    if (now - this.#askedAt < FOLLOW_AGAIN_MS) return;
    const { id, seq } = this.state.run;
    if (this.ports.socket.send({ type: "run.follow", run: id, after: seq })) this.#askedAt = now;
  }

  #remember() {
    if (this.conversation) storage.write(outboxKey(this.conversation.id), this.pending);
  }
}

const outboxKey = (id) => `outbox:${id}`;

/** A conversation's title from its first message. */
export function titleOf(text) {
  const line = text.trim().split(/\s*\n/, 1)[0];
  const characters = Array.from(line);
  return characters.length > 60 ? `${characters.slice(0, 60).join("")}…` : line;
}
