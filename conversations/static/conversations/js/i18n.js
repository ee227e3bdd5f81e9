// The catalogue that /jsi18n/ puts on `django`, or plain English where it did not load.

const catalogue = () => globalThis.django ?? {};

export const gettext = (text) => catalogue().gettext?.(text) ?? text;

export const ngettext = (singular, plural, count) =>
  catalogue().ngettext?.(singular, plural, count) ?? (count === 1 ? singular : plural);

export const pgettext = (context, text) => catalogue().pgettext?.(context, text) ?? text;

/** Puts values into a translated sentence: `fill("%(name)s works", { name })`. */
export const fill = (text, values) =>
  text.replace(/%\((\w+)\)s/g, (whole, name) => (name in values ? String(values[name]) : whole));
