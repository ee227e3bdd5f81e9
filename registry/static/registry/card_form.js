"use strict";
/* Shows only what the chosen transport needs. A field that holds a value or an error stays in sight. */
(() => {
  const WHEN = {
    endpoint: (v) => v.transport !== "inproc",
    stream_endpoint: (v) => v.transport === "http",
    health: (v) => v.transport !== "inproc",
    remote_name: (v) => v.transport !== "inproc",
    auth_type: (v) => v.transport !== "inproc",
    secret_ref: (v) => v.transport !== "inproc" && v.auth_type !== "none",
    entrypoint: (v) => v.transport === "inproc",
    system_prompt: (v) => v.transport === "inproc" && v.entrypoint === "prompt",
    model: (v) => v.transport === "inproc" && v.entrypoint === "prompt",
    tools: (v) => v.transport === "inproc" && v.entrypoint === "prompt",
    skills: (v) => v.transport === "inproc" && v.entrypoint === "prompt",
    mcp_servers: (v) => v.transport === "inproc" && v.entrypoint === "prompt",
  };

  document.addEventListener("DOMContentLoaded", () => {
    const form = document.getElementById("agent_form");
    const transport = form?.elements.namedItem("transport");
    if (!transport) return;
    const value = (name) => form.elements.namedItem(name)?.value ?? "";
    const holds = (row) => row.classList.contains("errors")
      || [...row.querySelectorAll("input, textarea")].some((field) => field.value.trim());

    const update = () => {
      const values = { transport: value("transport"), auth_type: value("auth_type"), entrypoint: value("entrypoint").trim() };
      for (const [name, wanted] of Object.entries(WHEN)) {
        const row = form.querySelector(`[data-field="${name}"]`);
        if (row) row.hidden = !wanted(values) && !(name !== "auth_type" && holds(row));
      }
    };
    form.addEventListener("input", update);
    form.addEventListener("change", update);
    update();
    form.querySelector(".form-row.errors textarea, .form-row.errors input, .form-row.errors select")?.focus();
  });
})();
