import * as z from "zod";
import { conversationUrl, renderAssignmentEmail } from "./assignment_email.ts";
import type { EmailConfig } from "../runtime/config.ts";
import type { DeliverOutboxRow, OutboxOutcome } from "./delivery.ts";

const assignmentEmailSchema = z.object({
  operatorName: z.string(),
  operatorEmail: z.string(),
  contactName: z.string().nullable(),
  contactPhone: z.string(),
  instancePhone: z.string(),
});

/**
 * Resend errors about the e-mail itself (resend.com documentation, "Errors"): no later try will be
 * better. All else is worth one: limits pass, quotas are renewed, keys and domains are put right.
 */
const permanentErrors = new Set<string>([
  "invalid_attachment",
  "invalid_from_address",
  "invalid_idempotency_key",
  "invalid_idempotent_request",
  "invalid_parameter",
  "missing_required_field",
  "security_error",
  "validation_error",
]);

/** What Resend says of a request that it has read and finds wrong, whatever the error's name. */
const permanentStatuses = new Set<unknown>([400, 422]);

/** A domain that is not verified, or a key for tests, is a `validation_error` too: 403 tells it. */
function isPermanent({ name, statusCode }: MailError): boolean {
  if (statusCode === 401 || statusCode === 403) return false;
  return permanentErrors.has(String(name)) || permanentStatuses.has(statusCode);
}

/** The body of a refusal, of which nothing is certain. */
interface MailError {
  readonly name?: unknown;
  readonly statusCode?: unknown;
}

/** Well within the lease of a row. */
const defaultTimeoutMs = 20_000;

/**
 * Sends the e-mails of the outbox through Resend. The row's id is the `Idempotency-Key`, so a row
 * that is delivered again within a day is not mailed again. A call is given up after `timeoutMs`:
 * e-mails go one after the other, and the dispatcher waits for the one in hand.
 */
export function createEmailDelivery(
  email: EmailConfig,
  panelBaseUrl: string,
  timeoutMs = defaultTimeoutMs,
): DeliverOutboxRow {
  return async (row) => {
    const values = assignmentEmailSchema.parse(row.payload);
    const { subject, text, html } = renderAssignmentEmail({
      contactName: values.contactName,
      contactPhone: values.contactPhone,
      operatorName: values.operatorName,
      conversationUrl: conversationUrl(panelBaseUrl, values.instancePhone, values.contactPhone),
    });
    // Loaded where mail is really sent: no other request pays for it.
    const { Resend } = await import("resend");
    const resend = new Resend(email.resendApiKey, { baseUrl: email.resendBaseUrl });
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    const { data, error, headers } = await resend.emails.send(
      { from: email.from, to: values.operatorEmail, subject, text, html },
      { ...unredirected, idempotencyKey: row.outboxId, signal: abort.signal },
    ).finally(() => clearTimeout(timer));
    if (error !== null) {
      const name = nameError(error);
      return isPermanent(error) ? { outcome: "dead", error: name } : toRetry(name, headers);
    }
    // Others answer 200 too, in place of the mail service.
    return isEmailId(data?.id) ? { outcome: "done" } : toRetry("no_email_id", headers);
  };
}

/**
 * Resend's client hands options that it does not know on to `fetch`. By itself it follows a redirect
 * with a GET that mails nothing, and takes what that answers for the e-mail's acceptance.
 */
const unredirected = { redirect: "manual" } as const;

function isEmailId(id: unknown): boolean {
  return typeof id === "string" && id !== "";
}

/** The error's name in the outbox; a gateway's refusal has none, or words of its own. */
function nameError({ name, statusCode }: MailError): string {
  if (typeof name === "string" && /^[a-z_]{1,50}$/.test(name)) return name;
  return typeof statusCode === "number" ? `unnamed_error_${statusCode}` : "unnamed_error";
}

function toRetry(name: string, headers: Record<string, string> | null): OutboxOutcome {
  const retryAfterSeconds = Number(headers?.["retry-after"]);
  return {
    outcome: "retry",
    error: name,
    retryAfterMs: retryAfterSeconds > 0 ? Math.ceil(retryAfterSeconds * 1_000) : undefined,
  };
}
