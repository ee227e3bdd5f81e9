// The chat page: reads what the server rendered, wires the parts, draws at most once a frame.

import { Agents } from "./agents.js";
import * as api from "./api.js";
import { enableCopying } from "./clipboard.js";
import { useSprite } from "./dom.js";
import { gettext } from "./i18n.js";
import { Session } from "./session.js";
import { ChatSocket } from "./socket.js";
import { Banner } from "./view/banner.js";
import { heardAt } from "./view/clock.js";
import { Composer } from "./view/composer.js";
import { ConnectionNotice } from "./view/connection.js";
import { ConversationList } from "./view/conversations.js";
import { Layout } from "./view/layout.js";
import { Log } from "./view/log.js";
import { Announcer } from "./view/status.js";
import { Thread } from "./view/thread.js";
import { Welcome } from "./view/welcome.js";

const part = (selector) => document.querySelector(selector);
const page = JSON.parse(part("#chat-data").textContent);
const product = document.title.split(" · ").at(-1);

useSprite(page.icons);
const agents = new Agents(page.agents);
const connection = new ConnectionNotice(part("#connection"));
const announcer = new Announcer(part("#status"));
const socket = new ChatSocket({
  onFrame: (frame) => session.hear(frame),
  onStatus: (status, code) => {
    connection.update(status, code);
    if (status !== "refused") return;
    session.drop();
    composer.say("");
  },
});
const session = new Session({
  socket,
  api,
  socketUrl: (id) => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/chat/${id}/`,
  changed: draw,
  heard: (event, state) => {
    heardAt(event.at);
    announcer.hear(event, state);
  },
  created: (conversation) => {
    goTo(`/chat/${conversation.id}/`);
    composer.show(conversation.id);
    conversations.add(conversation);
  },
  refused: (refusal) => composer.refuse(refusal),
});
const select = part("[data-testid=agent-select]");
const thread = new Thread({
  list: part("#thread"),
  scroller: part("#scroller"),
  jump: part("#jump"),
  agents,
  onRetry: (run) => session.retry(run),
});
const composer = new Composer({
  form: part("#composer"),
  agents,
  limit: page.max_input_chars,
  onSend: (text) => session.send(text, select.value),
  onStop: () => session.stop(),
});
const conversations = new ConversationList({
  root: part("#conversations"),
  onOpen: (id) => {
    goTo(id ? `/chat/${id}/` : "/chat/");
    open(id);
  },
});
const log = new Log({ root: part("#log"), agents, tabCount: part("#log-tab-count") });
const layout = new Layout(part("#chat"), (name) => (name === "log" ? log.shown() : thread.shown()));
const views = [
  thread,
  log,
  new Banner(part("#banner")),
  new Welcome({ root: part("#welcome"), agents, fallback: page.fallback, onPick: (text) => session.send(text, select.value) }),
  composer,
  conversations,
];

let frame = null;
function draw() {
  frame ??= requestAnimationFrame(() => {
    frame = null;
    const { conversation, state, pending, stopping, ready, busy } = session;
    for (const view of views) view.update({ conversation, state, pending, stopping, ready, busy });
    if (conversation && ready) select.value = conversation.agent ?? "";
    document.title = [conversation?.title || gettext("New conversation"), product].join(" · ");
    document.documentElement.dataset.connection = conversation ? socket.status : "idle";
  });
}

/** Where focusing the composer brings up no keyboard over half of the screen. */
const isWide = () => matchMedia("(min-width: 761px)").matches;

function open(id) {
  thread.clear();
  composer.show(id);
  if (!id) select.value = "";
  session.show(id);
  layout.setDrawer(false);
  layout.show("chat");
  if (isWide()) composer.input.focus();
}

function goTo(path) {
  history.pushState({}, "", path);
  returnHere();
}

/** Changing the language comes back to the conversation that is shown, not to the one that was loaded. */
function returnHere() {
  for (const field of document.querySelectorAll("form.language input[name=next]")) field.value = location.pathname;
}

const idInAddress = () => /^\/chat\/([0-9a-f-]{36})\/$/.exec(location.pathname)?.[1] ?? null;

window.addEventListener("popstate", () => {
  returnHere();
  open(idInAddress());
});
window.addEventListener("online", () => socket.hurry());
document.addEventListener("visibilitychange", () => document.hidden || socket.hurry());
select.addEventListener("change", () => session.pin(select.value));
enableCopying(part("#thread"));

composer.show(page.conversation);
if (page.prefill) composer.fill(page.prefill);
else if (isWide()) composer.input.focus();
session.show(page.conversation);
