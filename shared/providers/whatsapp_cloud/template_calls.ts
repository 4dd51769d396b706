/** The outcome of a call about a template (page Template management). */
import { readText, readValue } from "../../model/json_value.ts";
import { isSuccess, toFailureReceipt } from "../classification.ts";
import type { HttpResult } from "../http/call.ts";
import { createRedactor } from "../http/redaction.ts";
import { listSecrets } from "../stored_config.ts";
import type { TemplateRefusal, UnknownTemplateOutcome } from "../template_account.ts";
import { readWhatsappCloudAnswer } from "./answer.ts";
import { type WhatsappCloudConfig, whatsappCloudSecretFields } from "./config.ts";

/**
 * Why a call did not succeed; undefined for one that did. Meta explains a refused template in
 * `error_user_title` and `error_user_msg`, and names the rule by `error_subcode`.
 */
export function readTemplateFailure(
  result: HttpResult,
  config: WhatsappCloudConfig,
): TemplateRefusal | UnknownTemplateOutcome | undefined {
  const isAnswered = result.outcome === "answered";
  const error = isAnswered ? readValue(result.json, "error") : undefined;
  if (isAnswered && isSuccess(result) && error === undefined) return undefined;
  const redact = createRedactor(listSecrets(config, whatsappCloudSecretFields), null);
  const receipt = isAnswered
    ? readWhatsappCloudAnswer(result, { nowMs: Date.now(), redact })
    : toFailureReceipt(result);
  if (receipt.outcome === "unknown") return { outcome: "unknown", reason: receipt.reason };
  if (receipt.outcome === "accepted") return { outcome: "unknown", reason: "malformed_answer" };
  const told = ["error_user_title", "error_user_msg"].map((member) => readText(error, member))
    .filter((text) => text !== undefined).join(": ");
  const subcode = readValue(error, "error_subcode");
  return {
    outcome: "refused",
    code: receipt.code,
    subcode: typeof subcode === "number" ? subcode : null,
    message: told === "" ? receipt.message : redact(told),
  };
}

/** A success whose body lacks what it promises: it may have been done. */
export const unreadable: UnknownTemplateOutcome = {
  outcome: "unknown",
  reason: "malformed_answer",
};
