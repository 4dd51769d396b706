/** WAHA's answers: each engine has its own form, and what it throws is a 500 whatever it means. */
import { readWahaAnswer } from "../../../../shared/providers/waha/answer.ts";
import type { Receipt } from "../../../../shared/providers/provider.ts";
import { assertEquals } from "../../../support/assert.ts";
import { jsonAnswer, plainReading, textAnswer } from "../answers.ts";

const bare = "3EB0A9C0183A2D35A260F5";
const accepted: Receipt = { outcome: "accepted", providerMessageId: bare };
const withPhone: Receipt = { ...accepted, waId: "5511987654321" };
const unknown: Receipt = { outcome: "unknown", reason: "answer_without_message_id" };

/** A success of each engine (issues 760, 1087, 1464, 1892, 2157, and the pages' examples). */
const successes: readonly (readonly [engine: string, form: string, json: unknown, Receipt])[] = [
  [
    "NOWEB",
    "the message with its key",
    {
      key: { remoteJid: "5511987654321@s.whatsapp.net", fromMe: true, id: bare },
      message: { extendedTextMessage: { text: "Olá" } },
      messageTimestamp: "1795900000",
      status: "PENDING",
    },
    withPhone,
  ],
  [
    "NOWEB",
    "the key of a hidden identity",
    { key: { remoteJid: "81896604192873@lid", fromMe: true, id: bare }, status: "PENDING" },
    accepted,
  ],
  ["NOWEB", "null, as for contacts (721)", null, unknown],
  [
    "WEBJS",
    "an object with the full id",
    {
      id: {
        fromMe: true,
        remote: "5511987654321@c.us",
        id: bare,
        _serialized: `true_5511987654321@c.us_${bare}`,
      },
      ack: 0,
    },
    withPhone,
  ],
  [
    "WEBJS",
    "an object without `_serialized`, as since 2026.7",
    { id: { fromMe: true, remote: "5511987654321@c.us", id: bare } },
    withPhone,
  ],
  ["WEBJS", "an empty object (1087)", {}, unknown],
  ["WEBJS", "what a forward answers", { sent: true }, unknown],
  [
    "GOWS",
    "the full id as a text",
    { id: `true_5511987654321@c.us_${bare}`, _data: { Info: { ID: bare } } },
    withPhone,
  ],
  ["GOWS", "the full id of a hidden identity", { id: `true_81896604192873@lid_${bare}` }, accepted],
  ["GOWS", "the bare id", { id: bare }, accepted],
  [
    "GOWS",
    "the full id of a group's message, with its author",
    { id: `true_120363041234567890@g.us_${bare}_5511900000000@c.us` },
    accepted,
  ],
];

for (const [engine, form, json, receipt] of successes) {
  Deno.test(`WAHA, ${engine}: ${form} is ${receipt.outcome}, by the bare id`, () => {
    assertEquals(readWahaAnswer(jsonAnswer(201, json), plainReading), receipt);
  });
}

Deno.test("WAHA: a success without a body is unknown", () => {
  for (const text of ["", "OK"]) {
    assertEquals(readWahaAnswer(textAnswer(201, text), plainReading), unknown);
  }
});

function thrown(message: string): unknown {
  return {
    statusCode: 500,
    timestamp: "2026-05-26T07:32:11.213Z",
    exception: { message, code: 2, name: "Error" },
    request: { path: "/api/sendText", method: "POST", body: { text: "words of the message" } },
    version: { version: "2026.9.1" },
  };
}

type Refusal = Extract<Receipt, { outcome: "rejected" }>;
const outage = { retryable: true, scope: "instance", isOutage: true } as const;

/** What is no 2xx, with its meaning. */
const refusals: readonly (readonly [string, number, unknown, Partial<Refusal> | "unknown"])[] = [
  [
    "a lock on new chats (463)",
    500,
    thrown("2 UNKNOWN: server returned error 463"),
    { code: "new_chat_locked", meaning: "new_chat_locked", retryable: false, scope: "recipient" },
  ],
  [
    "the used quota of new chats (475)",
    500,
    thrown("2 UNKNOWN: server returned error 475"),
    { code: "475", retryable: false, scope: "recipient" },
  ],
  [
    "a number without an account (GOWS)",
    500,
    thrown("2 UNKNOWN: no LID found for 525537135075@s.whatsapp.net from server"),
    { retryable: false, scope: "message" },
  ],
  [
    "a number without an account (WEBJS)",
    500,
    thrown("No LID for user"),
    { retryable: false, scope: "message" },
  ],
  ["another refusal by WhatsApp", 500, thrown("2 UNKNOWN: server returned error 4630"), "unknown"],
  ["whatever else an engine throws", 500, thrown("Evaluation failed: t"), "unknown"],
  ["a 500 without a body", 500, undefined, "unknown"],
  ["a gateway that gave up", 504, undefined, "unknown"],
  [
    "a file that its server lacks",
    500,
    thrown("Request failed with status code 404"),
    { retryable: false, scope: "message" },
  ],
  [
    "a file whose server fails",
    500,
    thrown("Request failed with status code 503"),
    { retryable: true, scope: "message" },
  ],
  [
    "a session that is not working",
    422,
    {
      error: "Session status is not as expected. Try again later or restart the session",
      session: "loja",
      status: "SCAN_QR_CODE",
      expected: ["WORKING"],
    },
    outage,
  ],
  [
    "an unknown session",
    404,
    { message: "Session not found", error: "Not Found", statusCode: 404 },
    outage,
  ],
  [
    "a call that the engine lacks",
    422,
    { message: "The method is not implemented by the engine.", statusCode: 422 },
    { retryable: false, scope: "message" },
  ],
  [
    "a call that this version lacks",
    404,
    { message: "Cannot POST /api/sendSticker", error: "Not Found", statusCode: 404 },
    { retryable: false, scope: "message" },
  ],
  [
    "a wrong key",
    401,
    { message: "Unauthorized", statusCode: 401 },
    { retryable: false, scope: "instance" },
  ],
];

for (const [what, status, json, expected] of refusals) {
  const word = expected === "unknown" ? expected : expected.retryable ? "retried" : "refused";
  Deno.test(`WAHA: ${what} is ${word}`, () => {
    const answer = json === undefined ? textAnswer(status, "") : jsonAnswer(status, json);
    const receipt = readWahaAnswer(answer, plainReading);
    if (expected === "unknown") {
      assertEquals(receipt, { outcome: "unknown", reason: `http_${status}` });
      return;
    }
    assertEquals(receipt.outcome, "rejected");
    assertEquals({ ...receipt, ...expected }, receipt);
  });
}

Deno.test("WAHA: a refusal keeps the words of the fault, never those of the request that it repeats", () => {
  const receipt = readWahaAnswer(jsonAnswer(500, thrown("No LID for user")), plainReading);
  assertEquals(receipt.outcome === "rejected" && receipt.message, "No LID for user");
  const listed = { message: ["chatId is no chat id", "text is required"], error: "Bad Request" };
  const refused = readWahaAnswer(jsonAnswer(400, listed), plainReading);
  assertEquals(
    refused.outcome === "rejected" && refused.message,
    "Bad Request: chatId is no chat id; text is required",
  );
});
