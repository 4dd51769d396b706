import * as z from "zod";
import { disabledReasons } from "../model/endpoint_states.ts";
import { pauseReasons } from "../model/batch_states.ts";
import { conversationUrl, renderAssignmentEmail } from "./assignment_email.ts";
import { renderBatchPausedEmail } from "./batch_paused_email.ts";
import { renderBudgetEmail } from "./budget_email.ts";
import { renderEndpointDisabledEmail } from "./endpoint_disabled_email.ts";
import { renderInstanceDisconnectedEmail } from "./instance_disconnected_email.ts";
import { renderInstanceHeldEmail } from "./instance_held_email.ts";
import type { RenderedEmail } from "./rendered_email.ts";
import type { EmailConfig } from "../runtime/config.ts";
import type { DeliverOutboxRow } from "./delivery.ts";
import type { OutboxOutcome, OutboxRow } from "../database/rpcs/outbox.ts";

const assignmentEmailSchema = z.object({
  operatorName: z.string(),
  operatorEmail: z.string(),
  contactName: z.string().nullable(),
  contactPhone: z.string(),
  instancePhone: z.string(),
});

const endpointDisabledSchema = z.object({
  instanceName: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  reason: z.enum(disabledReasons),
  alertEmail: z.string(),
});

const instanceDisconnectedSchema = z.object({
  instanceName: z.string(),
  reason: z.string().nullable(),
  // Rows of an earlier release lack them.
  heldUntil: z.string().nullable().default(null),
  waiting: z.number(),
  alertEmail: z.string(),
});

const instanceHeldSchema = z.object({
  instanceName: z.string(),
  heldBy: z.string(),
  holdReason: z.string().nullable(),
  holdCode: z.string().nullable(),
  heldUntil: z.string().nullable(),
  waiting: z.number(),
  alertEmail: z.string(),
});

const batchPausedSchema = z.object({
  instanceName: z.string(),
  batchId: z.string(),
  batchName: z.string().nullable(),
  reason: z.enum(pauseReasons),
  error: z.object({ code: z.string(), message: z.string() }),
  waiting: z.number(),
  alertEmail: z.string(),
});

const budgetEmailSchema = z.object({
  instanceName: z.string(),
  month: z.string(),
  monthlyAmount: z.string(),
  spent: z.string(),
  underWay: z.string(),
  currency: z.string(),
  warnAtPercent: z.number(),
  reached: z.boolean(),
  stops: z.array(z.string()),
  alertEmail: z.string(),
});

interface AddressedEmail extends RenderedEmail {
  readonly to: string;
}

function renderEmail({ kind, payload }: OutboxRow, panelBaseUrl: string): AddressedEmail {
  if (kind === "endpoint_disabled_email") {
    const values = endpointDisabledSchema.parse(payload);
    return { ...renderEndpointDisabledEmail(values), to: values.alertEmail };
  }
  if (kind === "instance_disconnected_email") {
    const values = instanceDisconnectedSchema.parse(payload);
    return { ...renderInstanceDisconnectedEmail(values), to: values.alertEmail };
  }
  if (kind === "instance_held_email") {
    const values = instanceHeldSchema.parse(payload);
    return { ...renderInstanceHeldEmail(values), to: values.alertEmail };
  }
  if (kind === "batch_paused_email") {
    const values = batchPausedSchema.parse(payload);
    return { ...renderBatchPausedEmail(values), to: values.alertEmail };
  }
  if (kind === "budget_email") {
    const values = budgetEmailSchema.parse(payload);
    return { ...renderBudgetEmail(values), to: values.alertEmail };
  }
  const values = assignmentEmailSchema.parse(payload);
  const email = renderAssignmentEmail({
    contactName: values.contactName,
    contactPhone: values.contactPhone,
    operatorName: values.operatorName,
    conversationUrl: conversationUrl(panelBaseUrl, values.instancePhone, values.contactPhone),
  });
  return { ...email, to: values.operatorEmail };
}

/**
 * Resend errors about the e-mail itself (resend.com documentation, "Errors"): a retry cannot succeed.
 * Every other error is retried, because limits pass, quotas renew, and operators fix keys and domains.
 */
const permanentErrors = new Set<string>([
  "invalid_attachment",
  "invalid_idempotency_key",
  "invalid_idempotent_request",
  "invalid_parameter",
  "missing_required_field",
  "security_error",
  "validation_error",
]);

/** Statuses of a request that Resend finds invalid, whatever the error's name. */
const permanentStatuses = new Set<unknown>([400, 422]);

/**
 * What the operator puts right is not about the e-mail: a missing or wrong key, the sender's address, an
 * unverified domain (also a `validation_error`, which its status 403 tells apart).
 */
function isPermanent({ name, statusCode }: MailError): boolean {
  if (statusCode === 401 || statusCode === 403 || name === "invalid_from_address") return false;
  return permanentErrors.has(String(name)) || permanentStatuses.has(statusCode);
}

/** The body of an error response; every field is uncertain. */
interface MailError {
  readonly name?: unknown;
  readonly statusCode?: unknown;
}

/** Well below the lease of a row. */
const defaultTimeoutMs = 20_000;

/**
 * Sends the outbox's e-mails through Resend. The row's id is the `Idempotency-Key`, so Resend mails a
 * row only once within 24 hours. A call is aborted after `timeoutMs`, because e-mails are sent one after
 * the other and the dispatcher waits for the current one.
 */
export function createEmailDelivery(
  email: EmailConfig,
  panelBaseUrl: string,
  timeoutMs = defaultTimeoutMs,
): DeliverOutboxRow {
  return async (row) => {
    const { to, subject, text, html } = renderEmail(row, panelBaseUrl);
    // Imported on first use, so that other requests do not pay for loading it.
    const { Resend } = await import("resend");
    const resend = new Resend(email.resendApiKey, { baseUrl: email.resendBaseUrl });
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    const { data, error, headers } = await resend.emails.send(
      { from: email.from, to, subject, text, html },
      { ...withoutRedirects, idempotencyKey: row.outboxId, signal: abort.signal },
    ).finally(() => clearTimeout(timer));
    if (error !== null) {
      const name = nameError(error);
      return isPermanent(error) ? { outcome: "dead", error: name } : toRetry(name, headers);
    }
    // A proxy may answer 200 in place of the mail service; only an e-mail id proves acceptance.
    return isEmailId(data?.id) ? { outcome: "done" } : toRetry("no_email_id", headers);
  };
}

/**
 * Resend's client passes unknown options on to `fetch`. By default `fetch` follows a redirect with a
 * GET, which mails nothing, and the client would take its answer for an acceptance.
 */
const withoutRedirects = { redirect: "manual" } as const;

function isEmailId(id: unknown): boolean {
  return typeof id === "string" && id !== "";
}

/** The error's name in the outbox. A gateway's error has no name, or an unknown one. */
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
