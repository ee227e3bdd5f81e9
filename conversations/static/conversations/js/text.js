// Offsets on the wire count Unicode code points; a JavaScript string counts UTF-16 units.

const isTrail = (unit) => unit >= 0xdc00 && unit <= 0xdfff;

/** How many code points `text` has. The server sends no lone surrogate, so each trail unit ends a pair. */
export function countPoints(text) {
  let points = text.length;
  for (let i = 0; i < text.length; i += 1) {
    if (isTrail(text.charCodeAt(i))) points -= 1;
  }
  return points;
}

/** `text` without its first `points` code points. */
export function dropPoints(text, points) {
  let i = 0;
  for (let left = points; left > 0 && i < text.length; left -= 1) {
    i += isTrail(text.charCodeAt(i + 1)) ? 2 : 1;
  }
  return text.slice(i);
}
