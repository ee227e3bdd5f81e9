// Every page's header: the theme button, and the menu that narrow screens fold it into.

import { fill, gettext } from "./i18n.js";

const THEMES = ["auto", "light", "dark"];
const NAMES = { auto: () => gettext("automatic"), light: () => gettext("light"), dark: () => gettext("dark") };
const root = document.documentElement;
const button = document.querySelector("[data-part=theme]");
const menu = document.querySelector("[data-part=menu]");

function showTheme(theme) {
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  const label = fill(gettext("Theme: %(name)s"), { name: NAMES[theme]() });
  button.setAttribute("aria-label", label);
  button.title = label;
  for (const icon of button.querySelectorAll("[data-theme-icon]")) icon.toggleAttribute("hidden", icon.dataset.themeIcon !== theme);
}

function remember(theme) {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Not kept, then.
  }
}

button.addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "auto") + 1) % THEMES.length];
  showTheme(next);
  remember(next);
});
showTheme(root.dataset.theme ?? "auto");

function setMenu(isOpen) {
  menu.setAttribute("aria-expanded", String(isOpen));
}

menu.addEventListener("click", () => setMenu(menu.getAttribute("aria-expanded") !== "true"));
document.addEventListener("click", ({ target }) => {
  if (!target.closest(".site-menu, [data-part=menu]")) setMenu(false);
});
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && menu.getAttribute("aria-expanded") === "true") {
    setMenu(false);
    menu.focus();
  }
});
