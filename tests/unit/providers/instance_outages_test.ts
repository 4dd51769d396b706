import { readEvolutionAnswer } from "../../../shared/providers/evolution/answer.ts";
import type { Receipt } from "../../../shared/providers/provider.ts";
import { readZapiAnswer } from "../../../shared/providers/zapi/answer.ts";
import { assertEquals } from "../../support/assert.ts";
import { jsonAnswer, plainReading } from "./answers.ts";

/**
 * The consequences of a receipt: verdict, scope and whether the queue is held without an attempt.
 */
function summarize(receipt: Receipt): string {
  if (receipt.outcome !== "rejected") return receipt.outcome;
  const verdict = receipt.retryable ? "retryable" : "permanent";
  return `${verdict} ${receipt.scope}${receipt.isOutage === true ? " outage" : ""}`;
}

/** An error of Evolution API 2.3 in its own envelope. */
function evolution(status: number, message: unknown): string {
  const error = { 400: "Bad Request", 404: "Not Found", 500: "Internal Server Error" }[status];
  return summarize(
    readEvolutionAnswer(jsonAnswer(status, { status, error, response: { message } }), plainReading),
  );
}

function zapi(status: number, json: unknown): string {
  return summarize(readZapiAnswer(jsonAnswer(status, json), plainReading));
}

Deno.test("Evolution: a dropped or unloaded session affects the whole instance and may recover", () => {
  const verb = "Cannot read properties of undefined (reading";
  for (
    const [status, message] of [
      [400, ["Error: Connection Closed"]],
      [500, "Connection Closed"],
      [500, ["Error: Connection Closed"]],
      [500, `${verb} 'textMessage')`],
      [500, `${verb} 'mediaMessage')`],
      [500, [`TypeError: ${verb} 'audioWhatsapp')`]],
      [500, `${verb} 'listMessage')`],
      [400, [`TypeError: ${verb} 'onWhatsApp')`]],
      [404, ['The "loja" instance does not exist']],
    ] as const
  ) {
    assertEquals(evolution(status, message), "retryable instance outage", String(message));
  }
  const bare = jsonAnswer(500, { status: 500, message: "Connection Closed" });
  assertEquals(summarize(readEvolutionAnswer(bare, plainReading)), "retryable instance outage");
});

Deno.test("Evolution: a send that timed out is unknown, other errors affect the message only", () => {
  assertEquals(evolution(400, ["Error: Timed Out"]), "unknown");
  assertEquals(evolution(500, "Error: Timed Out"), "unknown");
  assertEquals(
    evolution(400, ["TypeError: Cannot read properties of undefined (reading 'message')"]),
    "unknown",
  );
  assertEquals(
    evolution(400, ["TypeError: Cannot read properties of undefined (reading '0')"]),
    "permanent message",
  );
  assertEquals(evolution(404, ["Cannot POST /message/sendTexts/loja"]), "permanent message");
});

Deno.test("Z-API: an unknown instance, a missing security token and a lost session affect the whole instance", () => {
  const error = "your client-token is not configured";
  assertEquals(zapi(400, { error }), "retryable instance outage");
  assertEquals(zapi(403, { error }), "retryable instance outage");
  assertEquals(zapi(400, { error: "You are not connected." }), "retryable instance outage");
  for (const status of [400, 403]) {
    assertEquals(zapi(status, { error: "null not allowed" }), "permanent instance");
    assertEquals(zapi(status, { error: "Client-Token F12 not allowed" }), "permanent instance");
  }
  for (const status of [400, 404]) {
    assertEquals(zapi(status, { error: "Instance not found" }), "permanent instance");
  }
  assertEquals(zapi(400, { error: "phone is not allowed" }), "permanent message");
});

Deno.test("Evolution: a file that it could not fetch was not sent, and is about that message alone", () => {
  for (
    const [status, message] of [
      [400, ["AxiosError: Request failed with status code 404"]],
      [500, "Request failed with status code 404"],
      [500, ["AxiosError: Request failed with status code 403"]],
    ] as const
  ) {
    assertEquals(evolution(status, message), "permanent message", `${message}`);
  }
  for (const message of ["Request failed with status code 503", "AxiosError: read ECONNRESET"]) {
    assertEquals(evolution(500, [message]), "retryable message", message);
  }
});
