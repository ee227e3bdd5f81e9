import assert from "node:assert/strict";
import test from "node:test";

import { Agents } from "../../conversations/static/conversations/js/agents.js";
import { openMention } from "../../conversations/static/conversations/js/view/mentions.js";
import { suggestions } from "../../conversations/static/conversations/js/view/welcome.js";

const ENTRIES = [
  { name: "diagnosis_agent", display_name: "车辆诊断", examples: ["P0171 是什么故障？", "What does P0420 mean?"] },
  { name: "knowledge_agent", display_name: "Knowledge", examples: ["How do I register an agent?"] },
  { name: "general_agent", display_name: "General", examples: [] },
];

test("a mention is open only at the start of the message, up to its first space", () => {
  assert.equal(openMention("@dia", 4), "dia");
  assert.equal(openMention("@车辆", 3), "车辆");
  assert.equal(openMention("@", 1), "");
  assert.equal(openMention("mail me @home", 13), null);
  assert.equal(openMention("@diagnosis_agent P0171", 22), null);
});

test("agents are found by name and by display name, beginnings first", () => {
  const agents = new Agents(ENTRIES);
  assert.deepEqual(agents.matching("车").map(({ name }) => name), ["diagnosis_agent"]);
  assert.deepEqual(agents.matching("ge").map(({ name }) => name), ["general_agent", "knowledge_agent"]);
  assert.deepEqual(agents.matching("diagnosis_agent").map(({ name }) => name), ["diagnosis_agent"]);
  assert.deepEqual(agents.matching("agent"), []);
  assert.deepEqual(agents.matching("zzz"), []);
});

test("an agent that left the directory can still be shown", () => {
  const { display_name: shown, tone } = new Agents(ENTRIES).get("gone_agent", "Gone");
  assert.equal(shown, "Gone");
  assert.ok(tone >= 0 && tone < 8);
});

test("suggestions take one per agent first, in the reader's script where there is one", () => {
  assert.deepEqual(suggestions(ENTRIES, false).map(({ text }) => text),
    ["What does P0420 mean?", "How do I register an agent?", "P0171 是什么故障？"]);
  assert.deepEqual(suggestions(ENTRIES, true, 1).map(({ text }) => text), ["P0171 是什么故障？"]);
});
