import { buildJsonInit, inTurn } from "./client.js";
import { build, find } from "./dom.js";
import { say } from "./words.js";

/** The simulated providers that are the channel itself. */
const officialKinds = Array.from(
  document.querySelectorAll("option[data-official]"),
  ({ value }) => value,
);

/** What Meta decides about the accounts and numbers of the official channel, and user ids that change. */
export function createAccounts() {
  const forms = [
    { form: find("account-form"), path: "account-updates", read: readAccountUpdate },
    { form: find("number-form"), path: "numbers", read: readNumber },
    { form: find("user-id-form"), path: "user-id-changes", read: (fields) => fields },
  ];

  const refresh = inTurn(async () => {
    const { items } = await (await fetch("/simulator/connections")).json();
    const official = items.filter(({ provider }) => officialKinds.includes(provider));
    find("accounts").hidden = official.length === 0;
    for (const { form } of forms) {
      const select = form.elements.instance;
      const chosen = select.value;
      select.replaceChildren(
        ...official.map(({ instance }) => build("option", { value: instance }, instance)),
      );
      if (official.some(({ instance }) => instance === chosen)) select.value = chosen;
    }
  });

  for (const { form, path, read } of forms) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const fields = Object.fromEntries(
        [...new FormData(form)].filter(([, value]) => value.trim() !== ""),
      );
      const response = await fetch(`/simulator/${path}`, buildJsonInit("POST", read(fields)));
      const answer = await response.json();
      find("account-note").textContent = response.ok ? say("Told.") : answer.message ??
        answer.issues.map((issue) => `${issue.path}: ${issue.message}`).join(" ");
    });
  }
  return { refresh };
}

/** The further member of a decision has another name by its event. */
function readAccountUpdate({ instance, event, detail }) {
  if (event === "SCHEDULE_FOR_DISABLE") return { instance, event, date: detail };
  if (["UPGRADE", "DOWNGRADE"].includes(event)) return { instance, event, limit: detail };
  return { instance, event, reason: detail };
}

/** A number that is also in the app sends at the speed of that, whatever its level. */
function readNumber({ instance, level }) {
  const isOnBusinessApp = level === "COEXISTENCE";
  return isOnBusinessApp
    ? { instance, isOnBusinessApp }
    : { instance, isOnBusinessApp, throughput: level };
}
