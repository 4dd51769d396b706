import { statusNames } from "./api_words.js";
import { callApi, pollApi, setNote } from "./client.js";
import { build, find } from "./dom.js";
import { formatInstant, formatTime, formatWait } from "./format.js";
import { say } from "./words.js";

const shownRows = 25;

/**
 * The webhook endpoints of the form's instance, and what was sent to the chosen one.
 *
 * @returns {{ask(): Promise<void>, choose(endpointId: string): Promise<void>}}
 */
export function createWebhooks() {
  const choice = find("endpoint-choice");
  /** To choose as soon as it is in the list. */
  let wantedId = null;

  async function refresh(api) {
    const endpoints = (await api.read("events-api/endpoints")).items;
    find("webhooks-count").textContent = String(endpoints.length);
    setNote(find("webhooks-note"), endpoints.length > 0 ? "" : say("No webhook endpoint yet."));
    fillChoice(choice, endpoints);
    if (endpoints.some(({ endpointId }) => endpointId === wantedId)) {
      choice.value = wantedId;
      wantedId = null;
    }
    const chosen = endpoints.find(({ endpointId }) => endpointId === choice.value);
    showEndpoint(chosen);
    const deliveries = chosen === undefined ? [] : await readDeliveries(api, chosen.endpointId);
    find("deliveries").replaceChildren(...deliveries.map(buildDelivery));
  }

  function showProblem(sentence) {
    find("webhooks-count").textContent = "–";
    setNote(find("webhooks-note"), sentence);
  }

  const ask = pollApi(refresh, showProblem);

  async function act(path, options) {
    try {
      await callApi(`events-api/endpoints/${choice.value}${path}`, options);
    } catch (problem) {
      showProblem(problem.message);
    }
    await ask();
  }

  choice.addEventListener("change", ask);
  find("endpoint-test").addEventListener("click", () => act("/test", { method: "POST" }));
  find("endpoint-activate").addEventListener(
    "click",
    () => act("", { method: "PATCH", body: { isActive: true } }),
  );
  return {
    ask,
    choose(endpointId) {
      wantedId = endpointId;
      return ask();
    },
  };
}

async function readDeliveries(api, endpointId) {
  const path = `events-api/endpoints/${endpointId}/deliveries`;
  return (await api.read(path, { limit: shownRows })).items;
}

/** Keeps what is chosen. An open list is rebuilt only when the endpoints have changed. */
function fillChoice(choice, endpoints) {
  const drawn = Array.from(choice.options, ({ value, text }) => [value, text]);
  const wanted = endpoints.map(({ endpointId, url }) => [endpointId, url]);
  if (JSON.stringify(drawn) === JSON.stringify(wanted)) return;
  const chosen = choice.value;
  choice.replaceChildren(...wanted.map(([value, url]) => build("option", { value }, url)));
  if (endpoints.some(({ endpointId }) => endpointId === chosen)) choice.value = chosen;
}

function showEndpoint(endpoint) {
  find("endpoint-form").hidden = endpoint === undefined;
  if (endpoint === undefined) return;
  const { isActive, disabledReason, failingSince } = endpoint;
  find("endpoint-activate").hidden = isActive;
  setNote(
    find("endpoint-state"),
    !isActive
      ? disabledReason === null
        ? say("Not active.")
        : say("Disabled: {reason}.", { reason: disabledReason })
      : failingSince === null
      ? say("Active.")
      : say("Active, failing since {time}.", { time: formatTime(failingSince) }),
  );
}

function buildDelivery(delivery) {
  const { type, status, attempts, nextAttemptAt, createdAt } = delivery;
  return build(
    "li",
    { class: "row" },
    build(
      "span",
      { class: status === "delivered" ? "badge" : "badge warn" },
      statusNames[status] ?? status,
    ),
    build(
      "span",
      { class: "grow waiting" },
      build("span", { class: "mono" }, type),
      build("small", {}, describeAttempts(attempts)),
    ),
    build(
      "span",
      { class: "slot" },
      build(
        "time",
        { datetime: createdAt, title: formatInstant(createdAt) },
        formatTime(createdAt),
      ),
      nextAttemptAt === null ? null : build(
        "small",
        { title: formatInstant(nextAttemptAt) },
        say("next {wait}", { wait: formatWait(nextAttemptAt) }),
      ),
    ),
  );
}

/** How often it was sent, and what the last answer was. */
function describeAttempts(attempts) {
  const last = attempts.at(-1);
  if (last === undefined) return say("not sent yet");
  const answer = last.status ?? last.error;
  return attempts.length === 1
    ? say("1 attempt: {answer}", { answer })
    : say("{count} attempts, the last: {answer}", { count: attempts.length, answer });
}
