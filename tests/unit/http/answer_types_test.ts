import type { Context } from "hono";
import type { ChangeTagsResponse } from "../../../functions/contacts-api/contract.ts";
import type { SanitizePhoneNumberResponse } from "../../../functions/sanitize-phone-number/contract.ts";
import { answerJson } from "../../../shared/http/answer.ts";
import { answerRecorded } from "../../../shared/http/recorded_answer.ts";
import { assertEquals } from "../../support/assert.ts";

/** Answers that must not type-check: the test run checks types, and an unused directive is an error. */
function answerWrongly(context: Context): void {
  const success = true as const;
  answerJson<SanitizePhoneNumberResponse>(context, { success, original: "1", sanitized: "1" });
  // @ts-expect-error: a member is missing
  answerJson<SanitizePhoneNumberResponse>(context, { success, original: "1" });
  // @ts-expect-error: a member has another type
  answerJson<SanitizePhoneNumberResponse>(context, { success, original: "1", sanitized: 1 });
  // @ts-expect-error: the contract knows no such member
  answerJson<SanitizePhoneNumberResponse>(context, { success, original: "", sanitized: "", e: 1 });
  // @ts-expect-error: an answer without a declared type
  answerJson(context, { success, original: "1", sanitized: "1" });
  const outcome = { contactId: "c", tagsApplied: ["a"], tagsRemoved: [] };
  answerRecorded<ChangeTagsResponse>(context, { outcome, isReplay: false });
  const { tagsRemoved: _removed, ...incomplete } = outcome;
  // @ts-expect-error: a member of the outcome is missing
  answerRecorded<ChangeTagsResponse>(context, { outcome: incomplete, isReplay: false });
  // @ts-expect-error: an answer without a declared type
  answerRecorded(context, { outcome, isReplay: false });
}

Deno.test("an answer that lacks a member of its contract, or has a wrong one, is a type error", () => {
  assertEquals(answerWrongly.length, 1);
});
