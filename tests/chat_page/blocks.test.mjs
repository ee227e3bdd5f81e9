import assert from "node:assert/strict";
import test from "node:test";

import { finishedBlocks, heal } from "../../conversations/static/conversations/js/blocks.js";
import MarkdownIt from "../../conversations/static/conversations/vendor/markdown-it.js";
import cjkFriendly from "../../conversations/static/conversations/vendor/markdown-it-cjk-friendly.js";

const md = new MarkdownIt({ html: false, linkify: true, breaks: true }).use(cjkFriendly);

const TEXT = `# 标题

**“偏稀”**表示混合气偏稀，见 https://example.com/p0171，然后继续。

| a | b |
|---|--:|
| 1 | 2 |

1. one
   - nested 🔧

   still one
2. two

\`\`\`python
def f():

    return "# not a heading"
\`\`\`

> quoted
> more

Heading under
-------------

last *words*
`;

/** What streaming shows once everything has come, block by block, in pieces of \`size\`. */
function streamed(text, size) {
  let committed = 0;
  let html = "";
  for (let end = size; ; end += size) {
    const soFar = text.slice(0, end);
    const finished = finishedBlocks(md, soFar.slice(committed));
    if (finished) {
      html += md.renderer.render(finished.tokens, md.options, finished.env);
      committed += finished.length;
    }
    if (end >= text.length) return { html: html + md.render(text.slice(committed)), committed };
  }
}

test("blocks committed on the way are the whole rendering, whatever the pieces", () => {
  for (const size of [1, 2, 3, 7, 16, 64, 999]) {
    assert.equal(streamed(TEXT, size).html, md.render(TEXT), `pieces of ${size}`);
  }
});

test("only the last block stays open", () => {
  const { committed } = streamed(TEXT, 5);
  assert.equal(TEXT.slice(committed), "last *words*\n");
});

test("nothing is finished while one block grows", () => {
  assert.equal(finishedBlocks(md, "one line"), null);
  assert.equal(finishedBlocks(md, "a paragraph\nthat goes on\n"), null);
  assert.equal(finishedBlocks(md, "```\ncode\n\nmore\n"), null);
  assert.equal(finishedBlocks(md, "first\n\nsecond, half"), null);
});

test("what is half written is closed or left away", () => {
  assert.equal(heal("so **bold"), "so **bold**");
  assert.equal(heal("so **bold*"), "so **bold**");
  assert.equal(heal("use `code"), "use `code`");
  assert.equal(heal("see [the page](https://exam"), "see the page");
  assert.equal(heal("see [the pa"), "see the pa");
  assert.equal(heal("text\n-"), "text\n");
  assert.equal(heal("text\n2."), "text\n");
  assert.equal(heal("**done** and `done`"), "**done** and `done`");
});

test("an open code block is left as it is", () => {
  const open = "```js\nconst a = `x";
  assert.equal(heal(open), open);
});
