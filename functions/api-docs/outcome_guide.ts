/** The codes that stand elsewhere than in `error`: of messages, files, recipients, queues, endpoints and tools. */
import type { PauseReason } from "../../shared/model/batch_states.ts";
import type { DisabledReason } from "../../shared/model/endpoint_states.ts";
import type { HeldBy } from "../../shared/model/message_status.ts";
import type { RefusalMeaning } from "../../shared/model/refusal_meaning.ts";
import type { CodeGuide, Helper } from "./error_guide.ts";

/** A part of the page. */
export interface GuidePart {
  readonly title: string;
  /** Where the codes stand. */
  readonly place: string;
  readonly codes: Readonly<Record<string, CodeGuide>>;
}

const guide = (who: Helper, means: string, remedy: string): CodeGuide => ({ who, means, remedy });

/** Why a message failed or waits for another attempt, where the provider's own code does not say. */
const messageCodes = {
  agent_paused: guide(
    "time",
    "A person of the team wrote while the agent's message was queued, so the agent's is not sent.",
    "Nothing has to be done. `POST conversations-api/agent-pause` lets the agent go on.",
  ),
  already_left: guide(
    "time",
    "The message had left before this attempt.",
    "Nothing has to be done: it was not sent twice.",
  ),
  answer_without_message_id: guide(
    "caller",
    "The provider answered success without the id of a message, so it may or may not have taken it.",
    "Do not send again. Read the message: an event may prove it; a person decides about the rest.",
  ),
  claim_too_old: guide(
    "time",
    "A worker was too slow to begin the call of the provider, so it did not make it.",
    "Nothing has to be done: the message is tried again.",
  ),
  delivery_failed: guide(
    "caller",
    "Z-API took the message, and tells later that WhatsApp did not: `message` has its words.",
    "Mend what the words name, such as a number that is not on WhatsApp, and send again.",
  ),
  malformed_answer: guide(
    "account",
    "The provider's answer is not what its documentation says.",
    "Repeat the call. If it stays, compare the gateway's version with the one of its page.",
  ),
  not_successful: guide(
    "account",
    "The official channel answered `success: false`: it has not done it, and says no reason.",
    "Repeat the call. If it stays, look at the number's responders in Business Suite.",
  ),
  may_have_left: guide(
    "administrator",
    "The database was restored or promoted, and the message may have left in the time that it lost.",
    "Decide about it: `GET admin-api/queue/may-have-left`, then `POST admin-api/queue/may-have-left/settle`.",
  ),
  media_unavailable: guide(
    "time",
    "The message's file could not be read from the storage. The message was not sent.",
    "Nothing has to be done: the message is tried again. If it stays, the administrator looks at the storage.",
  ),
  no_list: guide(
    "caller",
    "The provider answered a change of its list of blocked people without naming one.",
    "Repeat the call: what it does, it does once.",
  ),
  not_changed: guide(
    "caller",
    "The provider answered that nothing was changed.",
    "Repeat the call once; else change it on the phone.",
  ),
  not_configured: guide(
    "administrator",
    "The instance's `providerConfig` lacks what the call needs.",
    "Set what `message` names: `PATCH admin-api/instances/{id}`.",
  ),
  not_prepared: guide(
    "administrator",
    "The instance's credentials cannot be decrypted, so nothing leaves.",
    "Put the key that sealed them back into `CREDENTIALS_KEYS`, or set `providerConfig` anew.",
  ),
  not_supported: guide(
    "caller",
    "The channel cannot do this with this message.",
    "Leave it, or send another message.",
  ),
  number_not_on_whatsapp: guide(
    "team",
    "The number has no WhatsApp account.",
    "Correct the contact's phone. Both spellings of a Brazilian mobile number have been tried.",
  ),
  outcome_unknown: guide(
    "caller",
    "The provider may or may not have taken the message or the change.",
    "Do not send again. Read the message: an event may prove it; a person decides about the rest.",
  ),
  provider_unreachable: guide(
    "account",
    "No connection to the provider could be made; nothing was sent.",
    "Start the gateway, or correct `baseUrl`. Messages that wait are tried again by themselves.",
  ),
  rung_not_decided: guide(
    "time",
    "The way of a message outside the window could not be decided.",
    "Nothing has to be done: the message is tried again.",
  ),
  too_many_templates: guide(
    "account",
    "The provider lists more templates than the service reads.",
    "Delete templates that are no longer used.",
  ),
  worker_lost: guide(
    "caller",
    "The process that sent the message, or fetched the file, ended before it told the outcome.",
    "Read the message: where it is `unconfirmed` an event may prove it, and a person decides about the rest.",
  ),
} as const;

/** What a provider's refusal means beside its code. */
const meanings: Readonly<Record<RefusalMeaning, CodeGuide | null>> = {
  template_refused: guide(
    "account",
    "The provider refuses every message of the template: it is missing, paused, or not as it was approved. A batch of it pauses.",
    "Correct the template at the provider and synchronize, then `resume` the batch.",
  ),
  account_restricted: guide(
    "account",
    "The provider refuses every message of the number. Its queue is held, and its batches pause.",
    "Put the account right at the provider: payment, registration, name, policy. Then release the queue.",
  ),
  // Codes of answers too: their sections stand there.
  outside_conversation_window: null,
  new_chat_locked: null,
  contact_opted_out: null,
  recipient_needs_phone: null,
  too_fast: guide(
    "time",
    "The number, or one person, gets messages faster than the channel takes them.",
    "Nothing has to be done: the messages are tried again, more slowly. Lower `pace` if it happens often.",
  ),
  direct_send_refused: guide(
    "account",
    "The account may not, or may no longer, send utility messages without a template.",
    "Give `outsideWindow` a template as its next rung, or apply for Direct Send at Meta.",
  ),
  parameter_refused: guide(
    "caller",
    "The channel takes a parameter of the call not at all, or not from this account.",
    "Correct what the provider's words name. By Direct Send it is the account that lacks it: give a template as the next rung.",
  ),
  message_type_refused: guide(
    "caller",
    "The person, or the account, has not got this kind of message. A payment request goes as text then, unless the call wants its own form alone.",
    "Send it as text: leave `rendering` out, or say `text`.",
  ),
};

/** Why a rung of `outsideWindow` could not be taken. */
const rungCodes = {
  direct_send_off: guide(
    "administrator",
    "The instance's `directSend` is false.",
    "Set `directSend`, or give `outsideWindow` a template.",
  ),
  unsupported_content: guide(
    "caller",
    "This kind of message cannot leave by this rung.",
    "Give the message a rung with a template, or send text.",
  ),
  invalid_variables: guide(
    "caller",
    "The rung's template does not take these variables.",
    "Compare `variables` with `GET messages-api/templates`.",
  ),
  not_delivered: guide(
    "person",
    "The channel took the message by this rung and did not deliver it.",
    "Read `lastError` of the message, which has the channel's code.",
  ),
} as const;

/** Why a recipient of a batch gets no message, and why a batch pauses. */
const batchCodes = {
  blocked: guide(
    "team",
    "The contact is blocked.",
    "Unblock the person if the block was a mistake, and add the recipient again.",
  ),
  duplicate_contact: guide(
    "time",
    "An earlier entry of the list is the same person.",
    "Nothing has to be done: one person gets one message.",
  ),
  expires_before_slot: guide(
    "caller",
    "The batch or the message ends before the recipient's turn.",
    "Give the batch a later `expiresAt`, a shorter interval, or fewer recipients.",
  ),
  invalid_recipient: guide(
    "caller",
    "The entry has faults, which the answer's `errors` name.",
    "Correct the entry and add it again.",
  ),
  opted_out: guide(
    "person",
    "The contact has denied marketing messages.",
    "Send none. A new consent is recorded by `POST contacts-api/consent`.",
  ),
  window_closed: guide(
    "caller",
    "The conversation window is closed when the recipient's turn comes.",
    "Send a template, or give the message an `outsideWindow`.",
  ),
} as const;

const pauses: Readonly<Record<PauseReason, CodeGuide | null>> = {
  template_refused: null,
  account_restricted: null,
  failures_in_row: guide(
    "caller",
    "Five messages of the batch in a row have failed with the same code, so it pauses by itself.",
    "Read `pauseError`, put its cause right, then `resume`. `retry-failed` sends the failed ones again.",
  ),
};

/** Why a message waits, and why an instance is held. */
const holds: Readonly<Record<HeldBy, CodeGuide>> = {
  interval: guide(
    "time",
    "It waits for its turn.",
    "Nothing has to be done: `scheduledFor` says when.",
  ),
  window: guide(
    "time",
    "The instance's send window is closed.",
    "Nothing has to be done. The administrator can widen the window.",
  ),
  holiday: guide(
    "time",
    "The day is a holiday of the workspace.",
    "Nothing has to be done. The administrator keeps the holidays.",
  ),
  delay: guide(
    "time",
    "It waits for its own time, or for the next attempt after a refusal (`lastError`).",
    "Nothing has to be done. `PATCH messages-api/messages/{id}` moves it.",
  ),
  daily_limit: guide(
    "time",
    "The number's messages of this day are spent.",
    "Nothing has to be done. The administrator can raise the limit of `protection`.",
  ),
  new_contacts: guide(
    "time",
    "The number's messages to new people of this day are spent, or WhatsApp locks new chats (463).",
    "Nothing has to be done. The administrator can raise the limit of `protection`; `allowance.timeLock` says when a lock ends.",
  ),
  warm_up: guide(
    "time",
    "The number is young and may send fewer messages a day.",
    "Nothing has to be done: the limit grows by itself.",
  ),
  awaiting_reply: guide(
    "person",
    "An invitation has left; the message leaves when the person writes.",
    "Wait, or cancel the message.",
  ),
  budget: guide(
    "administrator",
    "The workspace's budget of the month is spent.",
    "Raise the budget, or wait for the next month.",
  ),
  batch_paused: guide(
    "caller",
    "Its batch is paused.",
    "Read `pauseReason` of the batch, then `resume`.",
  ),
  operator_hold: guide(
    "administrator",
    "An operator, or the service itself, holds the queue: `holdReason` says why.",
    "`POST admin-api/queue/release` when the reason is gone.",
  ),
  disconnected: guide(
    "administrator",
    "The number has lost its connection to the channel.",
    "Connect the phone again: `POST admin-api/instances/{id}/connection-link` makes a link for its owner.",
  ),
  wrong_phone: guide(
    "administrator",
    "The gateway is connected to another number than `connectedPhone`.",
    "Connect the right phone, or correct `connectedPhone`.",
  ),
  instance_held: guide(
    "account",
    "The provider refuses the whole instance: `holdCode` has its code.",
    "Put right what the code says. The hold ends by itself after `heldUntil`, or by `POST admin-api/queue/release`.",
  ),
};

const holdReasonCodes = {
  provider_refused: guide(
    "account",
    "The provider refuses the whole instance, with the code of `holdCode`.",
    "Put right what the code says.",
  ),
  suspect: guide(
    "administrator",
    "The provider accepts messages and confirms none any more, so the service holds the queue.",
    "Look at the number on its phone. A confirmation or a received message releases the queue.",
  ),
  database_promoted: guide(
    "administrator",
    "Another server or an older state of the database has taken over, and may lack what was sent last.",
    "Settle what may have left, then release: `GET admin-api/queue/may-have-left`.",
  ),
} as const;

const endpointCodes: Readonly<Record<DisabledReason, CodeGuide>> = {
  gone: guide(
    "caller",
    "The endpoint's URL, or the file's, does not exist any more.",
    "Serve the URL again and activate the endpoint, or create another one. A file needs another URL.",
  ),
  failing: guide(
    "caller",
    "The webhook endpoint has taken no delivery for five days, so it was disabled.",
    "Put the receiver right, activate the endpoint, then `replay` what it has missed.",
  ),
};

/** Why a file was not taken over. */
const fileCodes = {
  too_large: guide("caller", "The file is larger than its type allows.", "Send a smaller file."),
  empty_file: guide("caller", "The file is empty.", "Send a file with content."),
  too_many_parts: guide(
    "caller",
    "The file's host sent it in too many small parts.",
    "Put the file on a host that sends it in larger parts, or upload it as a form.",
  ),
  type_not_allowed: guide(
    "caller",
    "Files of this type are not allowed.",
    "Convert it: JPG, PNG, MP3, WAV, MP4 and PDF go everywhere.",
  ),
  type_mismatch: guide(
    "caller",
    "The file's content is not of the type that it was given as.",
    "Name its true type, or send the file that was meant.",
  ),
  wrong_sha256: guide(
    "time",
    "The file's SHA-256 is not the one that the channel told.",
    "Ask the person to send it again.",
  ),
  invalid_url: guide(
    "caller",
    "The file's URL may not be called.",
    "Give an https URL without credentials.",
  ),
  private_host: guide(
    "caller",
    "The file's URL leads to a host that is not public.",
    "Put the file on a public host, or upload it as a form.",
  ),
  host_not_found: guide("caller", "The host of the file's URL was not found.", "Correct the URL."),
  redirected: guide(
    "caller",
    "The file's URL answers with a redirect, which is not followed.",
    "Give the URL that the redirect leads to.",
  ),
  http_error: guide(
    "caller",
    "The file's host answered with an error.",
    "Open the URL without being signed in: it must give the file.",
  ),
  packed: guide(
    "caller",
    "The file's host sent it packed, although it was asked not to.",
    "Switch the packing off for files, or upload it as a form.",
  ),
  timed_out: guide(
    "time",
    "The other side did not answer in time.",
    "Repeat the call. A file may need a faster host.",
  ),
  connection_lost: guide(
    "time",
    "The connection to the other side failed.",
    "Repeat the call.",
  ),
  interrupted: guide(
    "time",
    "The service was stopped while it fetched the file.",
    "Nothing has to be done: the file is fetched again.",
  ),
  postponed: guide(
    "time",
    "The file is large and waits for others.",
    "Nothing has to be done: the file is fetched later.",
  ),
  storage_unavailable: guide(
    "administrator",
    "The file could not be stored.",
    "Look at the storage. The file is fetched again for a while.",
  ),
  storage_limit: guide(
    "administrator",
    "The file is larger than the storage takes.",
    "Raise the storage's limit, then ask the person to send the file again.",
  ),
  lost: guide(
    "administrator",
    "The storage no longer has the file.",
    "Restore the storage from its backup, or ask for the file again.",
  ),
  retention: guide(
    "time",
    "The file is past the retention time of the instance.",
    "Ask for the file again. The administrator sets how long files are kept.",
  ),
} as const;

/** Why work after an answer (e-mails, the agent's answers, deliveries of events) did not succeed. */
const outboxCodes = {
  agent_answer_limit: guide(
    "team",
    "The agent has answered the contact 30 times within an hour, as often as it may.",
    "Answer in person. The agent answers again an hour later.",
  ),
  model_answer_unreadable: guide(
    "account",
    "The language model's answer could not be read.",
    "Nothing has to be done: it is asked again. If it stays, compare the endpoint with OpenAI's chat completions.",
  ),
  model_not_configured: guide(
    "administrator",
    "The service has no language model, so agents do not answer.",
    "Set `AI_BASE_URL` and `AI_API_KEY`.",
  ),
  not_sent: guide(
    "time",
    "The delivery of an event was not sent because of an internal error.",
    "Nothing has to be done: it is tried again. The log has the cause.",
  ),
  turn_taken: guide(
    "time",
    "Another process answers the contact at the moment.",
    "Nothing has to be done: the row is tried again.",
  ),
} as const;

/** What only the tools of `mcp` answer. */
const toolCodes = {
  recipient_not_known: guide(
    "administrator",
    "The token may only write to people who have a contact already.",
    "Find the person by `find_contacts`, or let the administrator set the token's `mcpRecipients`.",
  ),
  quote_marks: guide(
    "caller",
    "The message has the quote marks by which the tools show what people wrote.",
    "Leave them out.",
  ),
  no_answer: guide(
    "time",
    "The service has not answered the tool.",
    "Repeat the call; a send with the same intent.",
  ),
  intent_reused: guide(
    "caller",
    "The intent was used for another message.",
    "Give this message an intent of its own.",
  ),
  intent_in_progress: guide(
    "time",
    "The first call with this intent is still in progress.",
    "Repeat it in a moment.",
  ),
} as const;

/** The parts of the page after the codes of answers, in its order. */
export const outcomeParts: readonly GuidePart[] = [
  {
    title: "Messages",
    place:
      "In `lastError.code` of a message, in `details` of an answer and in events, where the provider's own code does not stand there. `http_` and a status: the provider answered that, without a code.",
    codes: messageCodes,
  },
  {
    title: "What a refusal means",
    place: 'In the column "Means" above, and as `reason` of a rung and of a pause.',
    codes: withoutAnswered(meanings),
  },
  {
    title: "Rungs of outsideWindow",
    place: "In `details.rungs[].reason`, and in `rungs` of a message.",
    codes: rungCodes,
  },
  {
    title: "Batches",
    place: "In `reason` of a recipient and of a dry run, and in `pauseReason` of a batch.",
    codes: { ...batchCodes, ...withoutAnswered(pauses) },
  },
  {
    title: "The queue",
    place: "In `heldBy` and `holdReason` of messages, queues and `health`.",
    codes: { ...holds, ...holdReasonCodes },
  },
  {
    title: "Files",
    place: "In `details.code` and `details.reason` of an answer about a file.",
    codes: fileCodes,
  },
  {
    title: "Webhook endpoints",
    place: "In `disabledReason` of an endpoint.",
    codes: endpointCodes,
  },
  {
    title: "The outbox",
    place: "In `lastError` of a row of `admin-api/outbox`, and in `error` of a delivery.",
    codes: outboxCodes,
  },
  { title: "Tools of MCP", place: "In `error` of a tool's answer.", codes: toolCodes },
];

/** Without what has its section among the codes of answers, or in an earlier part. */
function withoutAnswered(
  codes: Readonly<Record<string, CodeGuide | null>>,
): Record<string, CodeGuide> {
  return Object.fromEntries(
    Object.entries(codes).flatMap(([code, section]) => section === null ? [] : [[code, section]]),
  );
}
