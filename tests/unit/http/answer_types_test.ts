import type { Context } from "hono";
import { changeTagsResponseSchema } from "../../../functions/contacts-api/contract.ts";
import { sanitizePhoneNumberResponseSchema } from "../../../functions/sanitize-phone-number/contract.ts";
import { answerJson } from "../../../shared/http/answer.ts";
import { answerRecorded } from "../../../shared/http/recorded_answer.ts";
import { assertEquals } from "../../support/assert.ts";

/** Answers that must not type-check: the test run checks types, and an unused directive is an error. */
function answerWrongly(context: Context): void {
  const [success, phoneSchema] = [true as const, sanitizePhoneNumberResponseSchema];
  answerJson(context, phoneSchema, { success, original: "1", sanitized: "1" });
  // @ts-expect-error: a member is missing
  answerJson(context, phoneSchema, { success, original: "1" });
  // @ts-expect-error: a member has another type
  answerJson(context, phoneSchema, { success, original: "1", sanitized: 1 });
  // @ts-expect-error: the contract knows no such member
  answerJson(context, phoneSchema, { success, original: "", sanitized: "", e: 1 });
  // @ts-expect-error: an answer without a schema
  answerJson(context, { success, original: "1", sanitized: "1" });
  const outcome = { contactId: "c", tagsApplied: ["a"], tagsRemoved: [] };
  answerRecorded(context, changeTagsResponseSchema, { outcome, isReplay: false });
  const { tagsRemoved: _removed, ...incomplete } = outcome;
  // @ts-expect-error: a member of the outcome is missing
  answerRecorded(context, changeTagsResponseSchema, { outcome: incomplete, isReplay: false });
  // @ts-expect-error: an answer without a schema
  answerRecorded(context, { outcome, isReplay: false });
}

Deno.test("an answer that lacks a member of its contract, or has a wrong one, is a type error", () => {
  assertEquals(answerWrongly.length, 1);
});
