// A line above the composer when the server is not heard.

import { gettext } from "../i18n.js";
import { setText } from "../dom.js";

const SENTENCES = {
  connecting: () => gettext("Connection lost. Trying again…"),
  4403: () => gettext("You are not logged in any more. Log in again to go on."),
  4404: () => gettext("This conversation does not exist, or is not yours."),
};
// A reconnect that takes a moment is nobody's business.
const PATIENCE_MS = 1500;

export class ConnectionNotice {
  #timer = null;

  constructor(root) {
    this.root = root;
    this.text = root.querySelector("[data-part=text]");
    this.login = root.querySelector("[data-part=login]");
  }

  update(status, code) {
    clearTimeout(this.#timer);
    if (status === "connecting") this.#timer = setTimeout(() => this.#show("connecting"), PATIENCE_MS);
    else if (status === "refused") this.#show(code);
    else this.root.hidden = true;
  }

  #show(what) {
    setText(this.text, SENTENCES[what]());
    this.login.hidden = what !== 4403;
    this.login.search = new URLSearchParams({ next: location.pathname });
    this.root.hidden = false;
  }
}
