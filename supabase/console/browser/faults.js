import { inTurn } from "./client.js";
import { build, find } from "./dom.js";
import { faultNames, serviceNames } from "./simulated_names.js";
import { say } from "./words.js";

/** The planned faults and the form that plans one. */
export function createFaults() {
  const refresh = inTurn(async () => {
    const { items } = await (await fetch("/simulator/faults")).json();
    const active = items.filter((fault) => fault.remaining > 0);
    find("faults-count").textContent = String(active.length);
    find("faults").replaceChildren(...active.map(buildFault));
  });

  find("fault-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const response = await fetch("/simulator/faults", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(readForm(event.target)),
    });
    const answer = await response.json();
    find("fault-note").textContent = response.ok
      ? say("Planned.")
      : answer.issues.map((issue) => `${issue.path}: ${issue.message}`).join(" ");
    await refresh();
  });
  return { refresh };
}

function readForm(form) {
  const fields = Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) =>
      value !== ""
    ),
  );
  const { times, retryAfterSeconds } = fields;
  return {
    ...fields,
    times: Number(times),
    retryAfterSeconds: retryAfterSeconds === undefined ? undefined : Number(retryAfterSeconds),
  };
}

function buildFault(fault) {
  const narrowed = [
    fault.to === undefined ? "" : say("to {recipients}", { recipients: fault.to }),
    fault.instance === undefined ? "" : say("on {instance}", { instance: fault.instance }),
    fault.code === undefined ? "" : say("code {code}", { code: fault.code }),
  ].filter((part) => part !== "").join(", ");
  return build(
    "li",
    { class: "row" },
    build("span", { class: "badge warn" }, serviceNames[fault.provider] ?? fault.provider),
    build(
      "span",
      { class: "grow" },
      faultNames[fault.kind] ?? fault.kind,
      narrowed === "" ? null : build("small", {}, ` ${narrowed}`),
    ),
    build(
      "small",
      {},
      say("{remaining} of {times} left", { remaining: fault.remaining, times: fault.times }),
    ),
  );
}
