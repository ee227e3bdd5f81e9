import { gettext } from "./i18n.js";

/** Copies `text`; true if it worked. Pages served over plain http have only the old way. */
async function copy(text) {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

/** Makes the "Copy" buttons of answers and code blocks inside `root` work. */
export function enableCopying(root) {
  root.addEventListener("click", async ({ target }) => {
    const button = target.closest(".copy-answer, .copy-code");
    if (!button) return;
    const text = button.dataset.text ?? button.closest(".code-block").querySelector("pre").textContent;
    if (await copy(text)) button.lastChild.textContent = gettext("Copied");
  });
}
