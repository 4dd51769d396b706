import { registeredDocs } from "../../../shared/providers/registered_docs.ts";
import { registry } from "../../../shared/providers/registry.ts";

const officialKinds = registry.providers
  .filter(({ providerClass }) => providerClass === "official")
  .map(({ kind }) => `\`${kind}\``).join(", ");

/** The meaning of a field in every operation, unless the operation defines its own. */
export const glossary: Readonly<Record<string, string>> = {
  success: "Always true in a success response.",
  instanceId:
    "The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.",
  phone:
    "Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`.",
  contactId: "The contact's UUID. The UUID of a merged contact means the survivor.",
  conversationId: "The conversation's UUID.",
  limit: "Maximum number of items per page. Default: 100.",
  cursor: "`nextCursor` of the previous page; omit it for the first page.",
  order: "`desc` begins with the newest. Default: `asc`.",
  nextCursor: "`cursor` of the next page; null on the last page.",
  items: "The records on this page.",
  total: "Number of records on all pages.",
  createdAt: "Time of creation.",
  updatedAt: "Time of the last change.",

  messageId: "The message's UUID in this service.",
  questionId: "The question's UUID.",
  messageType: "Type of the message.",
  message: "The text; for media the caption, for an option list the body.",
  mediaId: "Id of the message's file at media-api; null for none.",
  mediaMimeType:
    "Type of the file as the provider declares it; once the file is stored, what it is. Null while it is not known.",
  mediaSize: "Size of the file in bytes; null while it is not known.",
  quotedMessageId:
    "The message that this one answers; null for none, and for one that this service has not stored.",
  quotedProviderMessageId: "The provider's id of the message that this one answers; null for none.",
  author:
    "Who wrote the message in a group, by all that the provider tells; null for what is not from a group.",
  "author.name": "The author's name.",
  "author.phone": "The author's phone.",
  "author.userId": "The author's user id at the official channel.",
  "author.username": "The author's username, in lower case and without `@`.",
  "author.lid": "The author's hidden identity at a gateway.",
  handledBy:
    "Who holds the conversation on the official channel: `us`; `channel_agent`, Meta's Business Agent; `other`, another responder of the number, or one that the channel does not name. On a gateway always `us`. Of a message: who held it as the message came.",
  isTypedOnPhone:
    "Whether an employee typed the message on the business's own phone, or another program sent it (`sentBy` is `other_app`), as the provider tells.",
  contact: "The contact of the message.",
  username: "The contact's username, in lower case and without `@`; null for none.",
  lid: "The contact's hidden identity at a gateway; null for none.",
  channelStatus:
    "What the provider says of a message that it has accepted and keeps back for now: `held_for_quality_assessment` or `paused`. Null for any other.",
  editedAt:
    "When the message was edited last, by a person or by a call; null for never. `message` has the new words.",
  deletedAt:
    "When it was told that the message is deleted for everyone, by a person or for a call; null for never.",
  "change.requestedAt": "When it was asked for.",
  groupReceipts:
    "Who of a group has got or read the message, at most 32 members, where the provider names them; left out where none is known.",
  "groupReceipts.phone": "The member's phone.",
  "groupReceipts.userId": "The member's user id at the official channel.",
  "groupReceipts.lid": "The member's hidden identity at a gateway.",
  "groupReceipts.deliveredAt": "When it reached the member's phone, at the latest.",
  "groupReceipts.readAt": "When the member read it; null for not yet.",
  mediaStatus:
    "`pending`: the file is being fetched from the provider; `stored`; `failed`: it could not be fetched; `expired`: it is gone. Null for no file of ours.",
  mediaUrl:
    "Link to the file: of a file of ours a signed one, which works without a token for seven days, a new one in each answer; of a message that was sent with `mediaUrl`, that URL. Null for no file, and for one that is `failed` or `expired`.",
  "message.mediaUrl": "Public https URL of the file, as `mediaUrl` of send-message.",
  mediaFilename: "File name of a document, as the contact sees it.",
  "choice.id": "Identifier of the option, as it was sent; null where the channel tells none.",
  title: "Heading or label, as the contact sees it.",
  "options.id":
    "Identifier of the option, unique within the list. Default: its position, starting at 1.",
  description: "Second line, below the title.",
  cardId:
    "Tracking identifier chosen by the caller; returned in the history, in the message's record and in events.",
  metadata:
    "Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact.",
  purpose:
    "Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.",
  scopes: "What the token may be used for.",
  delayMessage:
    "Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`.",
  sendAt:
    "Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then.",
  cancelKey:
    "The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`.",
  cancelOn:
    "What cancels the message while it waits: `reply`, as soon as the contact writes (no reaction, no call), and `payment`, as soon as the payment request of `paymentReference` is paid or canceled. Only for messages that wait: with `queued`, `delayMessage` or `sendAt`. A message that is being sent at that moment goes.",
  paymentReference:
    "Reference of the payment request that `cancelOn` `payment` is about, on the same instance.",
  cancelReason:
    "What canceled the message by its `cancelOn`: `replied`, `paid` or `payment_canceled`; null for every other message.",
  delayTyping: "Milliseconds to show the typing indicator, where the channel supports it.",
  assignTo: "Operator to assign the conversation to: e-mail address or UUID.",
  portfolio: "Whether the contact is in the operator's portfolio.",
  queued: "Whether the message goes through the instance's paced queue.",
  intervalSeconds: "Seconds between queued messages.",
  sentBy:
    "Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`.",
  pauseAgent:
    "False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves.",
  mode: "How the message is sent.",
  providerMessageId:
    "The provider's id of the message; null until the provider accepts the message.",
  status: "Status of the message.",
  scheduledFor:
    "Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.",
  heldBy:
    "Reason why the message is not sent now; null when there is none. `interval`, `window`, `holiday`: the pace and the send window of the queue. `delay`: its own time, or its next attempt, has not come. `operator_hold`: an operator, or this service (`holdReason: suspect`), holds the instance's queue. `instance_held`: the provider refuses the whole instance. `awaiting_reply`: it waits for the person's answer to the invitation. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `batch_paused`: its batch is paused. `disconnected`: the instance has lost its connection to the channel. `wrong_phone`: the gateway is connected to another number than `connectedPhone`.",
  holdReason:
    "Why the instance is held, while `heldBy` is `operator_hold` (the operator's words; `suspect`: nothing is confirmed any more; `database_promoted`: the database is on another server, which may lack commits), `disconnected` (the provider's words), `wrong_phone` (the same word) or `instance_held` (`provider_refused`); null otherwise, and where none is known.",
  holdCode:
    "The code by which the provider refuses the instance, while `heldBy` is `instance_held`; null otherwise.",
  heldUntil:
    "End of the hold of the instance; null where it has no end, or no hold of the instance is the reason.",
  aiAgentPausedUntil:
    "End of the AI agent's pause for this contact; null when the agent is not paused.",
  assignment: "Result of the assignment.",
  sentAt: "Time at which the provider accepted the message.",
  deliveredAt: "Time at which the message reached the contact's device.",
  readAt:
    "Time at which the contact read the message; of a received one, at which the channel was told that it is read.",
  failedAt: "Time at which sending failed for good.",
  attempts: "Number of attempts.",
  lastError: "Error of the last failed attempt; null when none has failed.",
  "lastError.code":
    "The provider's error code, or a code of this service when the provider sent none.",
  "lastError.message":
    "The provider's own words, for display only: in the provider's language, and subject to change without notice.",
  position: "Position in the queue, starting at 1.",

  assignedTo: "UUID of the operator to whom the conversation is assigned now.",
  previousAssignedTo: "UUID of the previous operator; null when there was none.",
  fromOperatorId: "UUID of the operator until then.",
  toOperatorId: "UUID of the operator since then; null for a transfer to nobody.",
  userId:
    "Business-scoped user id of a person on the official channel, who may hide the phone number.",
  transferred: "Whether the conversation was transferred from one operator to another.",
  departmentId: "The department's UUID; when omitted, the department does not change.",
  internalNote: "Internal note for operators, recorded with the change.",
  noteAdded: "Whether a note was added.",
  note: "The note; only operators can see it.",
  noteId: "The note's UUID.",

  name: "Name.",
  email: "E-mail address.",
  tags: "Names of tags to add. Unknown tags are created.",
  action: "Whether the contact was created or updated.",
  fieldsUpdated: "Names of the updated fields.",
  tagsApplied: "The requested tags that the contact now has.",
  addTags: "Names of tags to add. Unknown tags are created.",
  removeTags: "Names of tags to remove.",
  tagsRemoved: "Names of the removed tags.",
  "optOut.keywords": "Messages that deny marketing.",
  "optOut.resumeKeywords": "Messages that grant it again.",
  "optOut.confirmation": "The one answer to a message that denies marketing; null for none.",
  "retention.messagesDays":
    "Messages, sent and received, with their files. Below 30 also the events, which are kept for 30 days otherwise. Null by default.",
  "retention.mediaDays":
    "Files of messages; the messages stay, with `mediaStatus` `expired`. Null by default.",
  "retention.providerEventsDays":
    "Payloads of the provider's webhooks, as received. 30 by default.",
  "budget.monthlyAmount": "Decimal text of the currency's unit.",
  "budget.warnAtPercent": "At how much of it the warning is told.",
  "budget.stops": "What waits while it is reached: any of `marketing` and `batches`.",
  "pace.messagesPerSecond": "Messages a second.",
  "protection.dailyLimit": "Messages a day.",
  "protection.newContactsPerDay":
    "Contacts a day to whom nothing was ever sent and who never wrote. Known contacts pass those that wait for another day.",
  "protection.jitterSeconds": "Up to this many seconds are added to each interval, by chance.",
  "protection.warmUp":
    "Limits that rise day by day, for a new number: day n from `startedAt` allows `startPerDay` + (target - `startPerDay`) * n / `rampDays`, rounded down. The target is `dailyLimit`, or 1,000.",
  "warmUp.startPerDay": "Messages on the first day.",
  "warmUp.rampDays": "Days until the target is reached.",
  "warmUp.startedAt": "The first day of the warm-up: an instant, or a local day.",
  marketing: "Whether the contact wants marketing messages.",
  consent: "The contact's consent to marketing.",
  "consent.at": "Since when; null while nothing is known.",
  "consent.source":
    "Who told it: `api` or what the call gave, `keyword`, `user_preferences` or `131050` of the channel; null while nothing is known.",
  evidence: "Proof of the statement, kept in the log: text, or an object of your own.",

  messageText: "The first message, sent as the agent.",
  initiateConversation: "Must be true.",
  agentId: "The AI agent's UUID.",
  externalContext:
    "Data from the caller's system, at most 32 KiB as JSON. The agent can use it as variables for the whole conversation.",

  period: "The requested range of days.",
  conversation: "The messages, oldest first.",
  messages: "The stored messages, oldest first.",
  role: "`user` for received messages, `assistant` for sent ones.",
  sender: "Name of the author: the contact, the operator or the agent; otherwise the instance.",
  content: "The text; for media the caption and the URL.",
  timestamp: "Unix time in seconds.",
  isGroup: "Whether the chat is a group.",
  chatName: "The provider's name of the chat.",
  direction: "`inbound` for received messages, `outbound` for sent ones.",
  batchId: "The batch that the message belongs to.",
  instanceInfo: "The instance whose history was read.",

  original: "The number as received.",
  sanitized: "The digits of the number.",

  maxSeconds: "Seconds during which the run claims new messages.",
  maxMessages: "Maximum number of messages that the run claims.",
  claimsUntil: "The instant after which the run claims no new messages.",

  workspaceId: "The workspace's UUID.",
  operatorId: "The operator's UUID.",
  instructions: "The agent's instructions; `{{key}}` is replaced by that key of `externalContext`.",
  model: "The model, as the chat completions endpoint names it.",
  isActive: "Whether the agent responds to contacts.",
  maxMessagesPerAnswer:
    "An answer is that many messages at most, 1 to 10, split at blank lines; the rest stays in the last one. Default: 1. The official channel bills each of them.",
  answersWithin:
    "The agent answers what was written less than so many seconds ago, by the channel's instant; what comes later is stored and told. 1 to 2,592,000 (30 days). Default: 21,600 (six hours).",
  templateId: "The template's UUID.",
  language: "Language of the template, such as `pt_BR`.",
  parameterFormat: "`POSITIONAL` for `{{1}}`, `{{2}}`; `NAMED` for `{{name}}`.",
  category:
    "What the template is for: its messages have this `purpose`; null where nobody has told it. Synchronising takes it from the provider.",
  components: "Header, body, footer and buttons, in the official channel's shape.",
  type: "Type of the component or button.",
  format: "Format of a header.",
  text: "The text, with variables.",
  buttons: "At most 10 buttons.",
  url: "URL that the button opens.",
  phone_number: "Phone number that the button calls.",
  example: "Sample values, for the official channel's review.",
  providerStatus: "Status at the official channel; only an `APPROVED` template can be sent.",
  providerTemplateId:
    "The official channel's id of the template, set when the template is synchronized.",
  provider:
    `The provider of the instance: ${officialKinds} is the official channel, the others are gateways.`,
  providerConfig: "Credentials and addresses of the provider; encrypted at rest, never returned.",
  baseUrl: "Base URL of the provider, when it differs from the public address.",
  ...Object.assign({}, ...Object.values(registeredDocs).map(({ fields }) => fields)),
  webhookSecret: "The secret in the webhook's path; at least 24 characters.",
  apiKey: "The server's global key, or the instance's token.",
  gatewayInstanceId: "The provider's id of the instance; null when it has none yet.",
  businessInstanceId: "Name of the instance in the caller's system; accepted as `instanceId`.",
  embedKey: "Public name of the instance; accepted as `instanceId`.",
  connectedPhone: "The phone number of the instance.",
  timeZone: "IANA time zone of the instance.",
  "sendWindow.start": "Local time at which the window opens.",
  "sendWindow.end": "Local time at which the window closes; `24:00` is the end of the day.",
  "sendWindow.days": "Weekdays on which the window opens: 1 (Monday) to 7 (Sunday).",
  "sendWindow.holidays": "Dates on which the window stays closed.",
  webhookPath: "Path to which the provider sends its events, below `/functions/v1/`.",
  tokenId: "The token's UUID.",
  token: "The token; no other response contains it.",
  label: "Purpose of the token.",
  expiresAt: "Time at which the token expires; null for never.",
  mcp: "What an AI client may send by the token, through the function mcp.",
  "mcp.recipients":
    "`known`: only people who have a contact here that no call of mcp has made; `any`: anybody.",
  "mcp.maxSendsPerHour": "Sends in any 60 minutes; a repeated call counts once.",
  lastUsedAt: "Time of the last use, to the minute; null when the token has not been used.",
  revokedAt: "Time at which the token was revoked; null for an active token.",
  outboxId: "The entry's UUID.",
  kind: "Type of the outbox entry.",
  runAt: "Time at which the entry is due.",
  settledAt: "Time at which the entry was processed or failed for good.",

  details: "The provider's error, without credentials.",
  code: "The provider's error code.",
  "details.code":
    "The provider's error code, or a code of this service when the provider sent none.",
  "details.message":
    "The provider's own words, for display only: in the provider's language, and subject to change without notice.",
  reason: "Why the outcome is unknown.",
  retryable: "Whether the failure is temporary, so that the call can be repeated.",
};
