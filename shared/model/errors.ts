/**
 * Every refusal that the API can answer, in one table: its status and one sentence a person can act
 * on. The strings of specification section 7 are codes like any other.
 */
const refusals = {
  invalid_json: [400, "The body must be a JSON object."],
  invalid_request: [400, "Some fields are missing or not valid; see issues."],
  invalid_phone: [
    400,
    "phone must be 8 to 15 digits with country code and nothing else; POST /functions/v1/sanitize-phone-number strips formatting.",
  ],
  agent_id_required: [400, "The instance has several active agents: say which one with agentId."],
  provider_outbound_channel_not_configured: [
    400,
    "The official-channel instance has no phoneNumberId to send from.",
  ],
  "templateId and phone are required": [400, "Send both templateId and phone, as texts."],
  template_not_synced_with_provider: [
    400,
    "The template has no providerTemplateId: POST admin-api/instances/:id/templates/sync reads it from the official channel.",
  ],
  template_not_approved: [400, "Only a template with providerStatus APPROVED can be sent."],
  missing_variables: [400, "The template needs variables that were not supplied; see missing."],
  missing_client_token: [401, "Send the instance's token in the X-Client-Token header."],
  invalid_client_token: [401, "The token is unknown, expired or revoked."],
  invalid_secret_key: [401, "Send the project's secret key in the apikey header."],
  invalid_webhook_secret: [401, "The webhook address's secret or verify token is not this one."],
  invalid_webhook_signature: [
    401,
    "X-Hub-Signature-256 does not fit the body under the app secret of this instance.",
  ],
  "Template does not belong to this instance": [
    403,
    "The template is linked to another instance of the workspace.",
  ],
  not_found: [404, "There is nothing at this path."],
  "Instance not found": [404, "There is no such instance, or this token does not open it."],
  workspace_not_found: [404, "There is no such workspace."],
  operator_not_found: [404, "The instance's workspace has no operator with this e-mail or id."],
  department_not_found: [404, "The instance's workspace has no such department."],
  agent_not_found: [404, "There is no such agent, or it is not an active one of the instance."],
  message_not_found: [404, "The instance has no such message."],
  "Template not found": [404, "There is no such template, or this token does not reach it."],
  template_not_found: [404, "There is no such template."],
  token_not_found: [404, "The instance has no such token."],
  method_not_allowed: [405, "This path does not take this method; see the Allow header."],
  idempotency_key_in_progress: [409, "The first call with this Idempotency-Key still runs."],
  outside_conversation_window: [
    409,
    "The contact last wrote more than 24 hours ago: on the official channel only a template may be sent now.",
  ],
  contact_blocked: [409, "The contact is blocked (isBlocked)."],
  message_not_cancelable: [409, "Only a message that still waits in the queue can be canceled."],
  message_not_retriable: [409, "Only a failed or unconfirmed message can be retried."],
  send_window_never_opens: [
    409,
    "The instance's send window has no business day within three years: check its days and holidays.",
  ],
  template_sync_not_available: [
    409,
    "Only an instance of the official channel with a wabaId has templates at its provider.",
  ],
  already_exists: [409, "There is already one with this value; see issues."],
  payload_too_large: [413, "The body is too large: 256 KiB at most, 3 MB for a provider webhook."],
  unsupported_media_type: [415, "Send the body as Content-Type: application/json."],
  idempotency_key_reused: [422, "This Idempotency-Key was used with another body."],
  rate_limited: [429, "Too many requests; try again after Retry-After seconds."],
  provider_send_failed: [502, "The provider refused the message or could not be reached."],
  provider_template_send_failed: [
    502,
    "The provider refused the template or could not be reached; see details.",
  ],
  provider_template_list_failed: [
    502,
    "The provider did not give its list of templates; see details. Nothing was changed.",
  ],
  provider_outcome_unknown: [
    504,
    "The provider may or may not have accepted the message; it is kept as unconfirmed and not sent again by itself.",
  ],
  service_unavailable: [503, "The service cannot reach its database; try again in a moment."],
  internal_error: [500, "Something went wrong on our side; give us the request id."],
} as const satisfies Record<string, readonly [number, string]>;

/** A code of the table: what `error` holds in a response. */
export type ErrorCode = keyof typeof refusals;

/** What is wrong with one field: the path into the body or query, in the request's names. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** What a refusal says beside its code: extra members of the body and extra headers. */
export interface RefusalExtras {
  /** Replaces the table's sentence. */
  readonly message?: string;
  readonly issues?: readonly Issue[];
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Temporary refusals: each says when to retry. */
const passing: ReadonlySet<ErrorCode> = new Set([
  "service_unavailable",
  "idempotency_key_in_progress",
]);
const againInASecond = { "Retry-After": "1" } as const;

/**
 * An expected refusal, safe to show to the caller. Everything else that is thrown is a defect and is
 * answered with a fixed 500.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly status: number;
  readonly extras: RefusalExtras;

  constructor(readonly code: ErrorCode, extras: RefusalExtras = {}) {
    super(code);
    this.status = refusals[code][0];
    this.extras = passing.has(code) ? { headers: againInASecond, ...extras } : extras;
  }

  /** The response body: the envelope of decisions, section 1. */
  toBody(): RefusalBody {
    return {
      success: false,
      error: this.code,
      message: this.extras.message ?? refusals[this.code][1],
      ...(this.extras.issues === undefined ? {} : { issues: this.extras.issues }),
      ...this.extras.body,
    };
  }
}

/** The envelope of a refusal, and what its code adds to it. */
export interface RefusalBody extends Readonly<Record<string, unknown>> {
  readonly success: false;
  readonly error: ErrorCode;
  readonly message: string;
}

/** All codes with their status, for the OpenAPI document. */
export function listErrors(): { code: ErrorCode; status: number; message: string }[] {
  return Object.entries(refusals).map(([code, [status, message]]) => ({
    code: code as ErrorCode,
    status,
    message,
  }));
}
