// Making elements without a framework and without markup strings.

const SVG = "http://www.w3.org/2000/svg";

/** An element: `h("p", { class: "note", dataset: { id } }, "text", child)`. Null children are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "dataset") Object.assign(element.dataset, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

let sprite = "";

/** Where the sprite of icons is served. */
export const useSprite = (url) => {
  sprite = url;
};

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${sprite}#${name}`);
  svg.append(use);
  return svg;
}

/** Sets text only when it differs, so that nothing is laid out or announced twice. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes `parent` hold one element for each of `items`, in order, keeping those whose key is known.
 * `views` maps key to `{ element, update(item) }`; `create(item)` makes one.
 */
export function reconcile(parent, views, items, keyOf, create) {
  const keys = new Set(items.map(keyOf));
  for (const [key, view] of views) {
    if (keys.has(key)) continue;
    view.remove?.();
    view.element.remove();
    views.delete(key);
  }
  let previous = null;
  for (const item of items) {
    const key = keyOf(item);
    if (!views.has(key)) views.set(key, create(item));
    const view = views.get(key);
    view.update(item);
    const next = previous ? previous.nextSibling : parent.firstChild;
    if (view.element !== next) parent.insertBefore(view.element, next);
    previous = view.element;
  }
}
