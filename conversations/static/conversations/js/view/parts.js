// Small pieces that thread and log share.

import { h, icon } from "../dom.js";
import { gettext } from "../i18n.js";
import { routeReason, statusWord, tierWord } from "../words.js";

const STATUS_ICON = {
  completed: "check",
  failed: "alert",
  timed_out: "clock",
  cancelled: "stop",
  skipped: "minus",
  rejected: "minus",
  awaiting_approval: "clock",
};

/** A round badge with the first character of an agent's name, in its colour. */
export const avatar = ({ display_name: name, tone }) =>
  h("span", { class: `avatar tone-${tone}`, "aria-hidden": "true" }, Array.from(name)[0].toUpperCase());

/** A state in words, with a mark that does not rest on colour. */
export function statusBadge(status, empty = false) {
  const mark = STATUS_ICON[status] ? icon(STATUS_ICON[status]) : h("span", { class: "pulse", "aria-hidden": "true" });
  const word = empty ? gettext("Said nothing") : statusWord(status);
  return h("span", { class: `status status-${status}` }, mark, word);
}

/** Why the run's agents were chosen: the deciding tier, and its reason. */
export function showWhy(line, route) {
  const tier = route && h("span", { class: "tier" }, tierWord(route.tier));
  line.replaceChildren(...(route ? [`${gettext("Why")} `, tier, ` ${routeReason(route)}`] : []));
}

/** The sources that an answer names, as a list; null without any. */
export function sources(citations) {
  if (!citations?.length) return null;
  const items = citations.map(({ title, url, snippet }) => {
    const name = title || url;
    const isLink = /^(https?:\/\/|\/(?!\/))/.test(url ?? "");
    const link = isLink
      ? h("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, name)
      : h("span", { class: "source-name" }, name);
    return h("li", {}, link, snippet ? h("p", {}, snippet) : null);
  });
  const heading = h("h3", {}, icon("book"), gettext("Sources"));
  return h("section", { class: "sources" }, heading, h("ol", {}, ...items));
}
