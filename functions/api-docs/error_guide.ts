/** What a code means, what to do about it, and who can: the sections of the page of errors. */
import type { ErrorCode } from "../../shared/model/errors.ts";

/** Who can put right what a code says, in the order in which a reader asks them. */
export const helpers = {
  caller: "The program that calls.",
  team: "A person of the team: an operator, or who keeps the contacts.",
  person: "The person who is written to.",
  administrator: "The administrator of the service, with the project's secret key.",
  account: "The owner of the account at the provider.",
  time: "Nobody has to: it passes by itself.",
} as const;

export type Helper = keyof typeof helpers;

/** The section of one code. */
export interface CodeGuide {
  readonly who: Helper;
  /** What to do. */
  readonly remedy: string;
  /** What it means. Of an error code: its own sentence, where this is absent. */
  readonly means?: string;
}

const guide = (who: Helper, remedy: string, means?: string): CodeGuide =>
  means === undefined ? { who, remedy } : { who, remedy, means };

/** Of every error code. The compiler asks for that of a new one. */
export const refusalGuide: Readonly<Record<ErrorCode, CodeGuide>> = {
  invalid_json: guide(
    "caller",
    "Send one JSON object, encoded in UTF-8, as the whole body. Serialize it with a library: quotes and line breaks in a text are the usual fault.",
  ),
  invalid_request: guide(
    "caller",
    "Correct every field of `issues` (`path`, `message`) and call again. A call without changes is refused again.",
  ),
  invalid_phone: guide(
    "caller",
    "Send digits with country code. `POST sanitize-phone-number` with `country` makes them of what people write.",
  ),
  agent_id_required: guide(
    "caller",
    "Name the agent in `agentId`: `GET admin-api/agents` lists them.",
  ),
  provider_outbound_channel_not_configured: guide(
    "administrator",
    "Set `phoneNumberId` in the instance's `providerConfig` (`PATCH admin-api/instances/{id}`), then send again.",
  ),
  "templateId and phone are required": guide(
    "caller",
    "Send `templateId` and `phone`, both as text.",
  ),
  template_not_synced_with_provider: guide(
    "administrator",
    "`POST admin-api/instances/{id}/templates/sync`, or submit the template to the provider first.",
  ),
  template_not_approved: guide(
    "account",
    "Wait for the approval, or correct the template as its `statusReason` says. `GET messages-api/templates` lists what can be sent.",
  ),
  missing_variables: guide(
    "caller",
    "Give every name of `missing` a value in `variables`. `GET messages-api/templates` shows what each template needs.",
  ),
  unsupported_on_channel: guide(
    "caller",
    "Send what the channel carries: `details` names the type or the field. `rendering: auto` sends buttons and lists as numbered text where they are not native.",
  ),
  missing_client_token: guide(
    "caller",
    "Send the header `X-Client-Token` with the instance's token.",
  ),
  invalid_client_token: guide(
    "administrator",
    "Issue a new token (`POST admin-api/instances/{id}/tokens`), and put it into the caller's configuration.",
  ),
  invalid_secret_key: guide(
    "administrator",
    "Send one of the project's secret keys in `apikey`. The key named `cron` opens `dispatch-queue` alone.",
  ),
  invalid_webhook_secret: guide(
    "administrator",
    "Set the webhook again at the provider: `POST admin-api/instances/{id}/connection/webhooks`, or by hand with the secret of `providerConfig`.",
  ),
  invalid_webhook_signature: guide(
    "administrator",
    "Set `appSecret` in `providerConfig` to that of the app which sends the webhooks. Something between that changes bodies breaks the signature too.",
  ),
  invalid_media_link: guide(
    "caller",
    "Read the message again: its record has a new link. Pass a link on as it is, with its whole query.",
  ),
  "Template does not belong to this instance": guide(
    "caller",
    "Use a template of this instance (`GET messages-api/templates`), or the token of the template's instance.",
  ),
  insufficient_scope: guide(
    "administrator",
    "Issue a token with the scope that `message` names, or let the caller leave the call out.",
  ),
  not_found: guide("caller", "Correct the path: `message` names those that the function has."),
  "Instance not found": guide(
    "caller",
    "Leave `instanceId` out, or send that of the token. Each instance has its own token.",
  ),
  workspace_not_found: guide("administrator", "Take the id from `GET admin-api/workspaces`."),
  operator_not_found: guide(
    "administrator",
    "Name an operator of the instance's workspace (`GET admin-api/operators`), or create it.",
  ),
  department_not_found: guide(
    "administrator",
    "Name a department of the instance's workspace (`GET admin-api/departments`), or create it.",
  ),
  agent_not_found: guide(
    "administrator",
    "Name an active agent of the instance (`GET admin-api/agents`), or activate it.",
  ),
  message_not_found: guide(
    "caller",
    "Use `messageId` or `providerMessageId`, percent-encoded, with the token of the message's instance. Messages past the retention are gone.",
  ),
  contact_not_found: guide(
    "caller",
    "Search by `GET contacts-api/contacts`, or create the contact: `POST contacts-api/create`.",
  ),
  erasure_not_found: guide("caller", "Use the `erasureId` that the erasing call has answered."),
  conversation_not_found: guide(
    "caller",
    "Take the id from `GET conversations-api/conversations`. A contact that nobody has written to or heard of has no conversation.",
  ),
  question_not_found: guide(
    "caller",
    "Use the `questionId` that the sending call has answered, or list `GET messages-api/questions`, with the token of the question's instance.",
  ),
  payment_not_found: guide(
    "caller",
    "Use the reference or the `messageId` of a payment request of this instance: `GET messages-api/payments` lists them.",
  ),
  "Template not found": guide("caller", "Take the id from `GET messages-api/templates`."),
  template_not_found: guide(
    "administrator",
    "Take the id from `GET admin-api/templates`, or synchronize: the provider may have deleted it.",
  ),
  media_not_found: guide(
    "caller",
    "Use the `mediaId` of a message or an upload of this instance.",
  ),
  connection_link_not_found: guide(
    "administrator",
    "Copy the whole link, or make a new one: `POST admin-api/instances/{id}/connection-link`.",
  ),
  token_not_found: guide(
    "administrator",
    "Take the id from `GET admin-api/instances/{id}/tokens`.",
  ),
  endpoint_not_found: guide("caller", "Take the id from `GET events-api/endpoints`."),
  delivery_not_found: guide(
    "caller",
    "Take the id from `GET events-api/endpoints/{id}/deliveries`. Deliveries and events are kept for 30 days.",
  ),
  batch_not_found: guide("caller", "Take the id from `GET batches-api/batches`."),
  method_not_allowed: guide("caller", "Use a method of the header `Allow`."),
  request_timeout: guide(
    "caller",
    "Send the call again over a better connection. Large files go by `media-api`, as a URL where there is one.",
  ),
  idempotency_key_in_progress: guide(
    "time",
    "Repeat the call with the same key and body after `Retry-After` seconds: it gets the first call's answer.",
  ),
  outside_conversation_window: guide(
    "caller",
    "Send a template, or give the message an `outsideWindow` that does so by itself. A free message is possible again once the person writes.",
  ),
  recipient_needs_phone: guide(
    "person",
    'Ask for the phone with `messageType: "contact_request"`; send other kinds of messages meanwhile.',
  ),
  control_refused: guide(
    "caller",
    "Read `details`: `2494191` means that only the escalation partner takes conversations; ask its holder to pass it, in Business Suite make this app the partner. What only a holder may do (`pass`, `release`), do while `handledBy` is `us`.",
  ),
  new_chat_locked: guide(
    "time",
    "Write to people who have written, or were written to, before; to others when the lock has ended: `allowance.timeLock` of `GET messages-api/health` says when. What is queued for new contacts waits for that by itself. Connecting the phone again does not end the lock.",
  ),
  contact_blocked: guide(
    "team",
    "Unblock the person (`POST contacts-api/unblock`) if the block was a mistake; else do not send.",
  ),
  people_scope: guide(
    "administrator",
    "Change the workspace's `peopleScope`, or leave `scope=workspace` out: then the call is for this instance alone.",
  ),
  contact_opted_out: guide(
    "person",
    "Send no marketing. `purpose` says of a message what it is for (`service` by default). A new consent is recorded by `POST contacts-api/consent`.",
  ),
  message_not_cancelable: guide(
    "caller",
    "Read the message: it has left, or is leaving. A gateway's message can be deleted for everyone for a while.",
  ),
  message_not_movable: guide("caller", "Read the message: it has left, is leaving, or has ended."),
  message_not_editable: guide(
    "caller",
    "Send another message instead; `details.reason` says why this one stays.",
  ),
  message_not_deletable: guide("caller", "Leave the message; `details.reason` says why it stays."),
  message_not_readable: guide("caller", "Mark messages whose `direction` is `inbound`."),
  message_not_retriable: guide(
    "caller",
    "Read the message. One that waits or has left needs no retry; a copy is a new call.",
  ),
  send_window_never_opens: guide(
    "administrator",
    "Correct the instance's send window or the workspace's holidays: no day within three years is open.",
  ),
  template_sync_not_available: guide(
    "administrator",
    "Set `wabaId` in `providerConfig`. Gateways have no templates to synchronize.",
  ),
  provider_usage_not_available: guide(
    "administrator",
    "Set `wabaId` in `providerConfig`. What a gateway costs is not known to the service.",
  ),
  template_ambiguous: guide("caller", "Name the template by its `templateId`."),
  template_submission_not_available: guide("administrator", "Set `wabaId` in `providerConfig`."),
  template_call_in_progress: guide("time", "Repeat the call after `Retry-After` seconds."),
  template_not_editable: guide(
    "account",
    "Wait until the template is APPROVED, REJECTED or PAUSED, or submit another one.",
  ),
  template_edit_limit: guide("time", "Edit it again from `editableAt` on."),
  connection_not_available: guide(
    "account",
    "Connect the number in Meta's own pages. `GET admin-api/instances/{id}/connection` shows its state.",
  ),
  connection_page_not_served: guide(
    "administrator",
    "Publish the page and set `CONNECT_PAGE_URL`, or show the code by `connection/qr` and `connection/code`.",
  ),
  reference_in_use: guide(
    "caller",
    "Give each payment request a reference of its own, such as the order's number with a sequence number. The open one ends by `POST messages-api/payments/{reference}`.",
  ),
  payment_state: guide(
    "caller",
    "Read the payment: `message` names its status. What was paid is given back by `refunded`.",
  ),
  already_connected: guide(
    "administrator",
    "Nothing has to be done. For another phone, end the session first: `POST admin-api/instances/{id}/connection/logout`.",
  ),
  connection_pending: guide("time", "Ask again after `Retry-After` seconds."),
  session_not_found: guide(
    "administrator",
    "Create the session at the gateway, or correct its name in `providerConfig`.",
  ),
  passkey_required: guide("account", "Connect the phone in the gateway's own panel, once."),
  too_many_endpoints: guide(
    "caller",
    "Delete an endpoint, or let one of them take more event types.",
  ),
  endpoint_not_active: guide(
    "caller",
    "`PATCH endpoints/{id}` with `isActive: true`, then repeat the call.",
  ),
  replay_pending: guide("time", "Wait until the earlier replay has been sent, then ask again."),
  secret_rotation_pending: guide(
    "time",
    "Rotate again after `previousSecretUntil`. A secret that leaked is ended at once by `gracePeriodSeconds: 0`.",
  ),
  batch_state: guide("caller", "Read the batch: `message` names its status. Call what fits that."),
  media_pending: guide(
    "time",
    "Ask again after `Retry-After` seconds, or read the message again later: its `mediaStatus` becomes `stored` or `failed`.",
  ),
  already_exists: guide(
    "caller",
    "Choose another value for the field of `issues`, or change the record that has it.",
  ),
  cursor_expired: guide(
    "caller",
    "Go on from `oldestCursor`, and read what is missing from the lists of messages and contacts.",
  ),
  connection_link_ended: guide(
    "administrator",
    "Make a new link: `POST admin-api/instances/{id}/connection-link`.",
  ),
  contact_erased: guide("person", "Forget the id. A person who writes again is a new contact."),
  media_failed: guide(
    "person",
    "Ask the person to send the file again; `details` says why it failed.",
  ),
  media_expired: guide(
    "person",
    "Ask for the file again, or upload it anew and use the new `mediaId`.",
  ),
  payload_too_large: guide(
    "caller",
    "Send less in one call: upload files by `media-api`, and add a batch's recipients in parts.",
  ),
  unsupported_media_type: guide("caller", "Send `Content-Type: application/json`."),
  idempotency_key_reused: guide(
    "caller",
    "Give each intent a key of its own. For a repetition, send the first body again.",
  ),
  rate_limited: guide(
    "time",
    "Wait `Retry-After` seconds. `RateLimit` shows what is left; the administrator can change `requestsPerMinute`.",
  ),
  provider_send_failed: guide(
    "caller",
    "Look at `details.code` in the tables of docs/errors.md. With `retryable: true` repeat the call with the same key; else correct what it says.",
  ),
  provider_template_send_failed: guide(
    "caller",
    "Look at `details.code` in the tables of docs/errors.md. With `retryable: true` repeat the call with the same key; else correct the template or its variables.",
  ),
  provider_template_list_failed: guide(
    "administrator",
    "Look at `details`: usually the access token has expired or lacks a permission. Repeat the call then.",
  ),
  provider_usage_failed: guide(
    "administrator",
    "Look at `details`: usually the access token lacks a permission. Repeat the call then.",
  ),
  provider_template_failed: guide(
    "administrator",
    "Correct the template as `details` says, or repeat the call later where the provider was not reached.",
  ),
  provider_connection_failed: guide(
    "administrator",
    "Look at `details`: the gateway is down, its key is wrong, or it refuses the call.",
  ),
  media_fetch_failed: guide(
    "caller",
    "Correct what `details` names: the URL must be public, answer without a redirect, and hold a file of its type.",
  ),
  provider_outcome_unknown: guide(
    "caller",
    "Do not send again. Read the message (`GET messages-api/messages/{id}`): it becomes `sent` where an event proves it; a person decides about the rest.",
  ),
  template_outcome_unknown: guide(
    "caller",
    "Repeat the same call: it looks the template up first.",
  ),
  service_unavailable: guide(
    "time",
    "Repeat the call with the same key after `Retry-After` seconds. If it stays, the administrator looks at the database and the load.",
  ),
  internal_error: guide(
    "administrator",
    "Repeat the call once with the same key; then give the administrator `requestId`, which finds the cause in the log.",
  ),
};
