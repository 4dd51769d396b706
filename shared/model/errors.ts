/**
 * Every error that the API can return: its status, and one sentence that tells the caller what to do.
 * The strings of specification section 7 are codes like any other.
 */
const refusals = {
  invalid_json: [400, "The body must be a JSON object."],
  invalid_request: [400, "Some fields are missing or invalid; see issues."],
  invalid_phone: [
    400,
    "phone must be 8 to 15 digits with country code and nothing else; POST /functions/v1/sanitize-phone-number removes formatting, and with country, such as BR, adds the country code.",
  ],
  agent_id_required: [400, "The instance has several active agents: name one in agentId."],
  provider_outbound_channel_not_configured: [
    400,
    "The official-channel instance has no phoneNumberId to send from.",
  ],
  "templateId and phone are required": [400, "Send both templateId and phone as text."],
  template_not_synced_with_provider: [
    400,
    "The template has no providerTemplateId: synchronize it with POST admin-api/instances/:id/templates/sync.",
  ],
  template_not_approved: [400, "Only a template with providerStatus APPROVED can be sent."],
  missing_variables: [400, "The template requires variables that are missing; see missing."],
  unsupported_on_channel: [
    400,
    "The instance's channel cannot carry this; see details for the message type or the field.",
  ],
  missing_client_token: [401, "Send the instance's token in the X-Client-Token header."],
  invalid_client_token: [401, "The token is unknown, expired or revoked."],
  invalid_secret_key: [401, "Send the project's secret key in the apikey header."],
  invalid_webhook_secret: [401, "The webhook's secret or verify token is wrong."],
  invalid_webhook_signature: [
    401,
    "X-Hub-Signature-256 does not match the body and the instance's app secret.",
  ],
  invalid_media_link: [
    403,
    "The link to the file is wrong, or its time is over: read the message again for a new one.",
  ],
  "Template does not belong to this instance": [
    403,
    "The template belongs to another instance of the workspace.",
  ],
  insufficient_scope: [403, "The token has no scope for this call; see message."],
  not_found: [404, "This path does not exist."],
  "Instance not found": [404, "The instance does not exist, or the token is not valid for it."],
  workspace_not_found: [404, "The workspace does not exist."],
  operator_not_found: [
    404,
    "The instance's workspace has no operator with this e-mail address or id.",
  ],
  department_not_found: [404, "The instance's workspace has no such department."],
  agent_not_found: [404, "The instance has no active agent with this id."],
  message_not_found: [404, "The instance has no such message."],
  contact_not_found: [404, "The instance has no such contact."],
  erasure_not_found: [404, "The instance has no such erasure."],
  conversation_not_found: [404, "The instance has no such conversation."],
  "Template not found": [404, "The template does not exist, or the token is not valid for it."],
  template_not_found: [404, "The template does not exist."],
  media_not_found: [404, "The instance has no such file."],
  connection_link_not_found: [404, "There is no such connection link."],
  token_not_found: [404, "The instance has no such token."],
  endpoint_not_found: [404, "The instance has no such webhook endpoint."],
  delivery_not_found: [404, "The instance has no such delivery, or its event is no longer kept."],
  question_not_found: [404, "The instance has no such question."],
  payment_not_found: [404, "The instance has no such payment request."],
  batch_not_found: [404, "The instance has no such batch."],
  method_not_allowed: [405, "This path does not support this method; see the Allow header."],
  request_timeout: [
    408,
    "The body came too slowly: within 10 seconds something of it must come, and after 30 seconds 1 kB a second. Send the call again.",
  ],
  idempotency_key_in_progress: [
    409,
    "The first call with this Idempotency-Key is still in progress.",
  ],
  outside_conversation_window: [
    409,
    "The contact has not written in the last 24 hours: on the official channel only a template can be sent now.",
  ],
  recipient_needs_phone: [
    409,
    "This message needs the contact's phone number, which is not known; messageType contact_request asks for it.",
  ],
  control_refused: [
    409,
    "The channel did not change who holds the conversation; see details.",
  ],
  new_chat_locked: [
    409,
    "WhatsApp lets the number open no new chats for a time (463); see allowance.timeLock of the instance.",
  ],
  contact_blocked: [409, "The contact is blocked (isBlocked)."],
  people_scope: [
    409,
    "The workspace's peopleScope is instance: nothing reaches its other instances.",
  ],
  contact_opted_out: [409, "The contact has denied marketing messages."],
  message_not_cancelable: [409, "Only a message that is still queued can be canceled."],
  message_not_movable: [409, "Only a message that is still queued can be moved."],
  message_not_editable: [
    409,
    "Only a text or a caption that left through a gateway less than 15 minutes ago can be edited; see details.",
  ],
  message_not_deletable: [
    409,
    "Only a message that left through a gateway can be deleted for everyone; see details.",
  ],
  message_not_readable: [409, "Only a received message can be marked as read."],
  message_not_retriable: [409, "Only a failed or unconfirmed message can be retried."],
  send_window_never_opens: [
    409,
    "The instance's send window has no business day within three years: check its days and holidays.",
  ],
  template_sync_not_available: [
    409,
    "Only an instance of the official channel with a wabaId can synchronize templates.",
  ],
  provider_usage_not_available: [
    409,
    "Only an instance of the official channel with a wabaId has usage that its provider bills.",
  ],
  template_ambiguous: [
    409,
    "Several templates have this name and language: name one by its templateId.",
  ],
  template_submission_not_available: [
    409,
    "Only an instance of the official channel with a wabaId can submit templates.",
  ],
  template_call_in_progress: [
    409,
    "Another call to the provider about this template is under way; try again in a moment.",
  ],
  template_not_editable: [
    409,
    "The provider lets nobody change this template now: only one that is APPROVED, REJECTED or PAUSED.",
  ],
  template_edit_limit: [
    409,
    "The provider takes one edit of an approved template in 24 hours, and ten in 30 days; see editableAt.",
  ],
  connection_not_available: [
    409,
    "The instance's provider has nothing to connect here: a number of the official channel is connected at Meta.",
  ],
  connection_page_not_served: [
    409,
    "This platform serves no HTML: publish the page of connect and set CONNECT_PAGE_URL, or get codes by connection/qr and connection/code.",
  ],
  reference_in_use: [
    409,
    "The instance has an open payment request of this reference: use another one, or cancel it first.",
  ],
  payment_state: [
    409,
    "A payment goes forward alone: from pending to paid, failed or canceled, from failed or expired to paid, from paid to refunded.",
  ],
  already_connected: [
    409,
    "The number is connected already; POST connection/logout ends the session.",
  ],
  connection_pending: [409, "The gateway has no code yet; try again in a moment."],
  session_not_found: [
    409,
    "The gateway has no session of this name: create it there, or correct the instance's configuration.",
  ],
  passkey_required: [
    409,
    "The account asks for its passkey, which no code replaces: connect it in the gateway's own panel.",
  ],
  too_many_endpoints: [409, "The instance has 10 webhook endpoints: delete one first."],
  endpoint_not_active: [
    409,
    "The webhook endpoint is not active: send PATCH endpoints/:id with isActive true first.",
  ],
  replay_pending: [
    409,
    "An earlier replay of the webhook endpoint has not been sent yet; try again when it has.",
  ],
  secret_rotation_pending: [
    409,
    "The former secret of the webhook endpoint still signs, until previousSecretUntil; rotate again after that, or with gracePeriodSeconds 0, which ends it now.",
  ],
  batch_state: [409, "This call needs a batch of another status."],
  media_pending: [409, "The file is still being fetched from the provider; try again soon."],
  already_exists: [409, "Another record has this value; see issues."],
  cursor_expired: [
    410,
    "Events after this cursor are older than 30 days and gone, or those up to it were lost with a database; oldestCursor is where to go on.",
  ],
  connection_link_ended: [
    410,
    "The connection link has been used or revoked, or its time is over: ask for a new one.",
  ],
  contact_erased: [410, "The contact's data were erased at the person's request."],
  media_failed: [410, "The file could not be fetched from the provider; see details."],
  media_expired: [410, "The file is gone: the provider no longer had it, or its time was over."],
  payload_too_large: [
    413,
    "The body is too large: 256 KiB at most, 4 MiB for batches-api, 3 MB for a provider webhook.",
  ],
  unsupported_media_type: [415, "Send the body as Content-Type: application/json."],
  idempotency_key_reused: [422, "This Idempotency-Key was used with another body."],
  rate_limited: [429, "Too many requests; try again after Retry-After seconds."],
  provider_send_failed: [502, "The provider rejected the message or could not be reached."],
  provider_template_send_failed: [
    502,
    "The provider rejected the template or could not be reached; see details.",
  ],
  provider_template_list_failed: [
    502,
    "The templates could not be read from the provider; see details. Nothing was changed.",
  ],
  provider_usage_failed: [
    502,
    "What the provider bills could not be read from it; see details.",
  ],
  provider_template_failed: [
    502,
    "The provider refused the template or could not be reached; see details. Nothing has changed there.",
  ],
  provider_connection_failed: [
    502,
    "The provider refused what was asked about the connection, or could not be reached; see details.",
  ],
  media_fetch_failed: [502, "The file could not be fetched from its URL; see details."],
  provider_outcome_unknown: [
    504,
    "The provider may or may not have accepted the message; it is unconfirmed and not sent again automatically.",
  ],
  template_outcome_unknown: [
    504,
    "The provider may or may not have done it; the same call looks it up before anything is repeated.",
  ],
  service_unavailable: [503, "The service cannot reach its database; try again in a moment."],
  internal_error: [500, "Something went wrong on our side; give us the request id."],
} as const satisfies Record<string, readonly [number, string]>;

/** A code of the table: what `error` holds in a response. */
export type ErrorCode = keyof typeof refusals;

/** An invalid field: its path in the body or query, and the reason. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Most issues that a refusal tells, and that are collected for it (decisions, section 1). */
export const maxIssues = 100;

/** Most names in `ignoredFields`: a body of 256 KiB can hold tens of thousands. */
export const maxIgnoredFields = 100;

/** What an error response has besides its code: further members of the body and further headers. */
export interface RefusalExtras {
  /** Replaces the table's sentence. */
  readonly message?: string;
  readonly issues?: readonly Issue[];
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Temporary errors. Their responses have `Retry-After`. */
const temporaryCodes: ReadonlySet<ErrorCode> = new Set([
  "service_unavailable",
  "idempotency_key_in_progress",
  "template_call_in_progress",
  "media_pending",
  "connection_pending",
]);
const retryAfterOneSecond = { "Retry-After": "1" } as const;

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
    const { issues = [] } = extras;
    const told = issues.length > maxIssues
      ? { ...extras, issues: issues.slice(0, maxIssues) }
      : extras;
    this.extras = temporaryCodes.has(code) ? { headers: retryAfterOneSecond, ...told } : told;
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

/** The sentence of a code, as its refusals say it. */
export function sentenceOf(code: ErrorCode): string {
  return refusals[code][1];
}

/** What is in the state that forbids a call, by the refusal's code. */
const subjects: Partial<Record<ErrorCode, string>> = {
  message_not_cancelable: "message",
  message_not_movable: "message",
  message_not_editable: "message",
  message_not_deletable: "message",
  message_not_readable: "message",
  message_not_retriable: "message",
  batch_state: "batch",
  payment_state: "payment",
};

/** Refusals that several things may cause: `details.reason` names the one. */
const reasonedCodes: ReadonlySet<ErrorCode> = new Set([
  "message_not_editable",
  "message_not_deletable",
]);

/** A refusal whose sentence names the state that forbids the call, where the code is about one. */
export function refuseState(code: ErrorCode, state: string | undefined): AppError {
  const subject = subjects[code];
  if (subject === undefined || state === undefined || !/^[a-z_]+$/.test(state)) {
    return new AppError(code);
  }
  const body = reasonedCodes.has(code) ? { details: { reason: state } } : undefined;
  const extras = body === undefined ? {} : { body };
  if (state.includes("_")) return new AppError(code, extras);
  return new AppError(code, {
    ...extras,
    message: `The ${subject} is ${state}. ${refusals[code][1]}`,
  });
}

/** `service_unavailable` for a call that came when too many others wait. */
export function refuseOverload(retryAfterSeconds = 1): AppError {
  return new AppError("service_unavailable", {
    message: "The service is overloaded; try again in a moment.",
    headers: { "Retry-After": `${retryAfterSeconds}` },
  });
}

/** The envelope of an error response, and the members that its code adds. */
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
