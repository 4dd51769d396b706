import type { HttpAnswer } from "../../../shared/providers/http/call.ts";
import { readEvolutionAnswer } from "../../../shared/providers/evolution/answer.ts";
import type { Receipt } from "../../../shared/providers/provider.ts";
import { createRedactor } from "../../../shared/providers/http/redaction.ts";
import { readWhatsappCloudAnswer } from "../../../shared/providers/whatsapp_cloud/answer.ts";
import { readZapiAnswer } from "../../../shared/providers/zapi/answer.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { jsonAnswer, nowMs, textAnswer } from "./answers.ts";

const context = { nowMs, redact: createRedactor([], null) };
const readers = { readZapiAnswer, readEvolutionAnswer, readWhatsappCloudAnswer };

function read(answer: HttpAnswer): readonly (readonly [string, Receipt])[] {
  return Object.entries(readers).map(([name, reader]) => [name, reader(answer, context)]);
}

Deno.test("no part of an answer in an unknown format is passed on: an internal service may have sent it", () => {
  const inner = "db-password=hunter2";
  const answers = [
    textAnswer(404, inner),
    textAnswer(400, `-ERR unknown command '${inner}'`),
    textAnswer(404, `<html><body>${inner}</body></html>`),
    textAnswer(404, `{"broken": "${inner}"`),
    jsonAnswer(404, inner),
    jsonAnswer(404, [inner, { message: inner }]),
    jsonAnswer(404, { secret: inner, data: { password: inner }, detail: inner }),
    jsonAnswer(404, { error: { reason: inner }, message: { text: inner }, errors: [inner] }),
    jsonAnswer(404, { response: { data: inner, message: [{ text: inner }, [[[[inner]]]]] } }),
  ];
  for (const answer of answers) {
    for (const [name, receipt] of read(answer)) {
      assertEquals(receipt, {
        outcome: "rejected",
        code: `http_${answer.status}`,
        message: `The provider answered with HTTP status ${answer.status}.`,
        retryable: false,
        scope: "message",
      }, `${name}: ${answer.text}`);
    }
  }
});

Deno.test("the passed-on text of a refusal is bounded, however long the provider's own fields are", () => {
  const long = "palavras ".repeat(2_000);
  const answer = jsonAnswer(404, {
    error: long,
    message: long,
    response: { message: Array.from({ length: 10 }, () => long) },
  });
  const cloud = jsonAnswer(404, {
    error: { code: 1e300, message: long, error_data: { details: long }, fbtrace_id: long },
  });
  for (const [name, receipt] of [...read(answer), ...read(cloud)]) {
    assert(receipt.outcome === "rejected", name);
    assert(receipt.message.length <= 500 && receipt.code.length <= 30, name);
  }
});
