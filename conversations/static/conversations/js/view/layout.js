// Narrow screens: chat and log as two tabs, the conversations in a drawer.

export class Layout {
  /** `onShow(name)` hears which of the two, "chat" or "log", is shown from now on. */
  constructor(root, onShow) {
    this.root = root;
    this.onShow = onShow;
    this.tabs = [...root.querySelectorAll("[role=tab]")];
    this.drawer = root.querySelector("#conversations");
    this.opener = document.querySelector("[data-part=open-drawer]");
    this.backdrop = root.querySelector("[data-part=backdrop]");
    for (const tab of this.tabs) {
      tab.addEventListener("click", () => this.show(tab.dataset.tab));
      tab.addEventListener("keydown", (event) => this.#arrow(event));
    }
    this.opener.addEventListener("click", () => this.setDrawer(!this.isDrawerOpen));
    this.backdrop.addEventListener("click", () => this.setDrawer(false));
    document.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && this.isDrawerOpen) this.setDrawer(false);
    });
  }

  get isDrawerOpen() {
    return this.root.dataset.drawer === "open";
  }

  show(name) {
    this.root.dataset.tab = name;
    for (const tab of this.tabs) {
      const isSelected = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
    }
    this.onShow(name);
  }

  setDrawer(isOpen) {
    if (isOpen === this.isDrawerOpen) return;
    this.root.dataset.drawer = isOpen ? "open" : "closed";
    this.opener.setAttribute("aria-expanded", String(isOpen));
    this.backdrop.hidden = !isOpen;
    for (const part of this.root.children) {
      if (part !== this.drawer && part !== this.backdrop) part.inert = isOpen;
    }
    (isOpen ? this.drawer.querySelector("a") : this.opener).focus();
  }

  #arrow(event) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = this.tabs.find((tab) => tab !== event.currentTarget);
    this.show(other.dataset.tab);
    other.focus();
  }
}
