import { buildTime } from "./activity.js";
import { buildJsonInit, callApi, inTurn, setNote } from "./client.js";
import { build, find } from "./dom.js";
import { summarizeEvent } from "./events.js";
import { say } from "./words.js";

const receiverPath = "/simulator/webhook-receiver";
const verdictNames = {
  verified: say("verified"),
  wrong: say("wrong signature"),
  too_old: say("too old"),
  no_secret: say("no secret"),
};

/**
 * The controls of the simulator's webhook receiver.
 *
 * @param {(endpointId: string) => void} onPointed to this endpoint
 */
export function createReceiver(onPointed) {
  const answer = find("receiver-answer");

  find("point-endpoint").addEventListener("click", () =>
    attempt(async () => {
      const { endpointId, secret } = await pointEndpoint();
      await tell("receiver-secrets", { secret });
      onPointed(endpointId);
    }));
  answer.addEventListener(
    "change",
    () => attempt(() => tell("receiver-answer", { status: Number(answer.value) })),
  );
  return {
    /** Shows what the receiver answers now. */
    refresh: inTurn(async () => {
      const response = await fetch("/simulator/receiver-answer");
      answer.value = String((await response.json()).status);
    }),
  };
}

/** Shows why the work failed, if it did. */
async function attempt(work) {
  let problem = "";
  try {
    await work();
  } catch (error) {
    problem = error.message;
  }
  setNote(find("receiver-problem"), problem);
}

/**
 * Creates an endpoint with the receiver's URL. Where the instance has one already it gets a new
 * secret, because only the answer that shows a secret contains it, and is active again.
 *
 * @returns {Promise<{endpointId: string, secret: string}>}
 */
async function pointEndpoint() {
  const demo = await (await fetch("/simulator/demo")).json();
  // Where the service reaches it: the page's own address may be a forwarded port.
  const url = `${demo?.baseUrl ?? location.origin}${receiverPath}`;
  const { items } = await callApi("events-api/endpoints");
  const known = items.find((endpoint) => endpoint.url === url);
  if (known === undefined) {
    return await callApi("events-api/endpoints", { method: "POST", body: { url } });
  }
  const path = `events-api/endpoints/${known.endpointId}`;
  const rotated = await callApi(`${path}/rotate-secret`, {
    method: "POST",
    body: { gracePeriodSeconds: 0 },
  });
  if (!known.isActive) await callApi(path, { method: "PATCH", body: { isActive: true } });
  return rotated;
}

async function tell(path, body) {
  const response = await fetch(`/simulator/${path}`, buildJsonInit("POST", body)).catch(() => null);
  if (response?.ok !== true) throw new Error(say("The simulator does not answer."));
}

/** @param {object} call a record of the simulator */
export function buildReceiverCall(call) {
  const { body, verdict, answeredStatus } = call;
  const isEvent = typeof body?.data === "object" && body.data !== null;
  return build(
    "li",
    { class: "row" },
    build(
      "details",
      { class: "entry" },
      build(
        "summary",
        {},
        build(
          "span",
          { class: verdict === "verified" ? "badge" : "badge warn" },
          verdictNames[verdict] ?? verdict,
        ),
        build("span", { class: "grow mono" }, isEvent ? String(body.type) : call.webhookId),
        buildTime(call),
        build(
          "small",
          { class: "whole", dir: "auto" },
          [say("answered {status}", { status: answeredStatus }), isEvent && summarizeEvent(body)]
            .filter(Boolean).join(" · "),
        ),
      ),
      build(
        "dl",
        { class: "facts" },
        ...[["webhook-id", call.webhookId], ["webhook-timestamp", call.webhookTimestamp]]
          .flatMap((
            [name, value],
          ) => [build("dt", {}, name), build("dd", { class: "mono" }, value)]),
      ),
      build("pre", { class: "prose" }, JSON.stringify(body, null, 2)),
    ),
  );
}
