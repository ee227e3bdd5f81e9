// The few REST calls that the page makes.

import { gettext } from "./i18n.js";

/** A refused call: `code` as in the API's errors, `message` for people. */
export class ApiError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

async function call(method, url, body) {
  const token = document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "";
  const headers = { Accept: "application/json", "X-CSRFToken": token };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(url, { method, headers, credentials: "same-origin", body: JSON.stringify(body) });
  } catch {
    throw new ApiError("OFFLINE", gettext("The server cannot be reached."));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(answer.code ?? "INTERNAL", answer.message ?? response.statusText);
  return answer;
}

const ROOT = "/api/v1/conversations/";

export const createConversation = (values) => call("POST", ROOT, values);
export const pinAgent = (id, agent) => call("PATCH", `${ROOT}${id}/`, { agent });
export const listConversations = (query) => call("GET", `${ROOT}?${new URLSearchParams(query)}`);
