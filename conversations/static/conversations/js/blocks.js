// Streaming Markdown without re-reading it: which blocks are finished, and how the open one looks so far.

/**
 * Splits what has not been committed yet. `md` is a markdown-it; returns `{ tokens, env, length }` of the
 * finished blocks at the head of `text` (`length` in UTF-16 units), or null when nothing is finished.
 *
 * Only whole lines count, and the last block that they form stays open: a line that is half there, or still
 * to come, may belong to it (a list item's indent, a table's second row, a heading's underline).
 */
export function finishedBlocks(md, text) {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (!whole) return null;
  const env = {};
  const tokens = md.parse(whole, env);
  let last = -1;
  let blocks = 0;
  tokens.forEach((token, index) => {
    if (token.level === 0 && token.nesting >= 0 && token.map) {
      last = index;
      blocks += 1;
    }
  });
  if (blocks < 2) return null;
  return { tokens: tokens.slice(0, last), env, length: lineStart(whole, tokens[last].map[0]) };
}

function lineStart(text, line) {
  let at = 0;
  for (let i = 0; i < line; i += 1) at = text.indexOf("\n", at) + 1;
  return at;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/gm;
const LONE_MARKER = /(^|\n)[ \t]*(?:[-+*=_]{1,2}|\d{1,9}[.)]?|#{1,6}|>|[`~]{1,2}|\|)[ \t]*$/;
const HALF_LINK = /!?\[([^[\]\n]*)\]\([^()\n]*$/;
const HALF_LABEL = /!?\[([^[\]\n]*)$/;

/** The open block's text with what is half written closed or left away, so that nothing flickers. */
export function heal(text) {
  if ((text.match(FENCE) ?? []).length % 2) return text;
  let healed = text.replace(LONE_MARKER, "$1");
  healed = healed.replace(HALF_LINK, "$1").replace(HALF_LABEL, "$1");
  const start = healed.lastIndexOf("\n\n") + 1;
  return healed + closers(healed.slice(start));
}

function closers(paragraph) {
  const ticks = (paragraph.match(/`/g) ?? []).length;
  if (ticks % 2) return "`";
  const bold = (paragraph.replace(/`[^`]*`/g, "").match(/\*\*/g) ?? []).length;
  if (bold % 2 === 0) return "";
  return /\*\*$/.test(paragraph) ? "" : /\*$/.test(paragraph) ? "*" : "**";
}
