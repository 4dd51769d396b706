import {
  demoBatchId,
  demoContactId,
  demoPhone,
  demoSentMessageId,
  demoTemplateId,
} from "../../shared/openapi/demo_fixtures.ts";
import {
  type BatchAction,
  batchActions,
  describePauseReasons,
} from "../../shared/model/batch_states.ts";
import { instanceQuerySchema } from "../../shared/model/request_fields.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import { textsBelow } from "../../shared/openapi/record_texts.ts";
import {
  addRecipientsSchema,
  batchListResponseSchema,
  batchResponseSchema,
  changeBatchSchema,
  createBatchSchema,
  dryRunResponseSchema,
  dryRunSchema,
  listBatchesSchema,
  listRecipientsSchema,
  readBatchResponseSchema,
  recipientListResponseSchema,
  storedBatchResponseSchema,
} from "./contract.ts";

export const maxBodyKiB = 4 * 1024;

const pathParameters = {
  id: { description: "`batchId` of the batch.", example: demoBatchId },
};

const storedFields = {
  added: "Number of recipients that are written to.",
  duplicates:
    "Entries of a contact that the list has already, in whatever spelling: they are skipped.",
  "duplicates.index": "The entry's index in the whole list, from 0.",
  "duplicates.of": "Index of the entry that is written to.",
  errors:
    "Entries that cannot be written to, by `validation: permissive`; with `strict`, the whole call is refused with 400 and the same member.",
  "errors.index": "The entry's index in the whole list, from 0.",
  "errors.issues": "What is wrong with it.",
  "errors.issues.path": "Path of the field in the entry.",
  "errors.issues.message": "What is wrong, in one sentence.",
};

const requestFields = {
  "template.templateId": "Id of the template.",
  "template.name":
    "Name of the template, with `language`; several that fit are 409 `template_ambiguous`.",
  "template.language": "Language of the template, such as `pt_BR`.",
  name: "A name for people, at most 200 characters.",
  template:
    "The stored template that is sent, by `templateId`, or by `name` and `language` (this instance's, then the workspace's); `message` in its place sends a message.",
  "message.messageType": "Type of the message.",
  message:
    "The message that is sent, as `send-message` takes it. Its texts may hold `{{variables}}`, filled from the recipient's, and `{{nome}}` and `{{telefone}}` from the contact.",
  "message.message": "The text; for media the caption, for an option list the body.",
  intervalSeconds:
    "Least number of seconds between two messages. Default: the instance's `pace`, where it has one (at 80 messages a second 0.0125), else 30.",
  startAt: "No message leaves before. It does not start the batch.",
  expiresAt: "What has not left by then is never sent, and reads as `expired`.",
  validation:
    "`strict` refuses the whole call when an entry has errors; `permissive` takes the others.",
  dryRun:
    "Answers with 200 what creating and starting the batch now would do, as `POST batches/{id}/dry-run`, and stores nothing.",
  recipients: "Up to 1,000 a call; 100,000 in a batch.",
  "recipients.variables":
    "Values of the placeholders, by name: texts or numbers. Of a template as in send-template-message: its `header` may be `{mediaId}`, a file of this service, and `payment` is what its payment buttons ask of this recipient.",
};

const announcedCost =
  "What is still to be sent would cost by the category that the channel has announced for the template; null without the warning `category_changes`, and for gateways.";

export const recordFields = {
  templateId: "The template that is sent; null for a message.",
  recipientCount: "Number of entries in the list, those that are skipped included.",
  counts:
    "Recipients by status. `pending` have no message yet; a message that is being sent counts as `queued`.",
  "counts.pending": "Have no message yet.",
  "counts.queued": "Their message waits in the queue, or is being sent.",
  "counts.awaitingReply": "Their message waits until the person writes: see `outsideWindow`.",
  "counts.sent": "The provider has accepted their message.",
  "counts.delivered": "Have received it.",
  "counts.read": "Have read it.",
  "counts.failed": "The provider refused it; `retry-failed` tries these again.",
  "counts.unconfirmed": "It may have left or not: never tried again by itself.",
  "counts.canceled": "Canceled before it left.",
  "counts.expired": "Had not left by `expiresAt`.",
  "counts.skipped": "Get none: see `reason` of the recipient.",
  firstScheduledFor: "When the first message is to leave, or was; null for a draft.",
  lastScheduledFor:
    "When the last message is to leave, or was; null for a draft. Of more than 1,000 pending recipients it is an estimate, by the windows, the intervals and the daily limits, as if nobody were skipped; a dry run and the list of recipients give exact slots.",
  startedAt: "When the batch was started; null for a draft.",
  finishedAt: "When nothing of the batch was left to send, or it was canceled.",
  pauseReason:
    `Why the batch has paused by itself: ${describePauseReasons()}; null where it has not, or a call paused it.`,
  pauseError: "The last error that it paused for; null for all others.",
  "pauseError.code": "The provider's code, or ours.",
  "pauseError.message": "The provider's words.",
  warnings:
    "`category_changes`: the channel has announced that it gives the template another category, by which it costs; see `categoryChange` of the template. Empty for nothing to know.",
  estimatedCost:
    "Of a draft, what it would cost if everybody who may be written to now received it; else what it has cost so far: the sum of its messages' estimates, which stays when people are erased. Null for gateways, which bill no message.",
  estimatedCostAfterChange: announcedCost,
};

const counts = {
  ...{ pending: 2, queued: 0, awaitingReply: 0, sent: 0, delivered: 0, read: 0 },
  ...{ failed: 0, unconfirmed: 0, canceled: 0, expired: 0, skipped: 0 },
};

export const batchExample = {
  batchId: demoBatchId,
  name: "Black Friday",
  status: "draft",
  templateId: null,
  purpose: "marketing",
  validation: "strict",
  intervalSeconds: 30,
  startAt: null,
  expiresAt: null,
  recipientCount: 2,
  counts,
  firstScheduledFor: null,
  lastScheduledFor: null,
  createdAt: "2026-11-23T13:00:00.000Z",
  startedAt: null,
  finishedAt: null,
  pauseReason: null,
  pauseError: null,
  warnings: [],
  estimatedCost: { amount: "0.04", currency: "USD", unknown: 0 },
  estimatedCostAfterChange: null,
};

const storedExample = {
  success: true,
  batchId: demoBatchId,
  status: "draft",
  added: 2,
  duplicates: [{ index: 2, of: 0 }],
  errors: [],
};

const dryRunFields = {
  summary: "What the items come to.",
  "summary.send": "Recipients that get a message.",
  "summary.skip": "Recipients that get none, by reason.",
  "summary.firstScheduledFor": "When the first message would leave.",
  "summary.lastScheduledFor": "When the last message would leave.",
  "summary.days": "Number of the instance's own days on which something would leave.",
  "summary.sentAs":
    "Of `send`, how they would go by what is known now: as they are, by Direct Send, as a template, or after an invitation.",
  "summary.sentAs.message": "As they are.",
  "summary.sentAs.direct_send": "As utility messages without a template.",
  "summary.sentAs.template": "As a template.",
  "summary.sentAs.invitation": "After the answer to an invitation.",
  "summary.windowOpen":
    "How many of `send` have an open window at their slot, by what they have written so far; on gateways all.",
  "summary.freeEntryPoint":
    "How many of `send` leave during the contact's free entry point, for which the channel bills nothing; see `window.freeUntil` of the contact.",
  "items.index": "The recipient's place in the list, from 0.",
  "items.outcome": "Whether the recipient would get a message.",
  "items.reason":
    "Why it would get none: `duplicate_contact`, `opted_out`, `blocked`, `window_closed`, `missing_variables`, `invalid_phone`, `recipient_needs_phone`, `expires_before_slot`, or another error of the entry; null where it is sent.",
  "items.scheduledFor": "The slot; null where nothing is sent.",
  samples:
    "The filled texts of the first ten of the items that get a message, to look at before a start.",
  "samples.index": "The recipient's place in the list, from 0.",
  "samples.message":
    "The text, or the caption, as it would be sent; of a template as it reads. Null for a message without one.",
  nextIndex: "`fromIndex` of the next part; null at the end of the list.",
  wouldBeRefused:
    "Whether the creating call without `dryRun` is refused as a whole: `validation` is `strict`, and entries have errors. Always false for a batch that is stored.",
  warnings:
    "`category_changes`: the channel has announced that it gives the template another category, by which it costs; see `categoryChange` of the template. Empty for nothing to know.",
  estimatedCost:
    "What the items would cost if all were delivered: by the category of the template (a message is `service`), the market of each recipient and the rate on the day of the slot, less the month's free service messages that are left. Null for gateways, which bill no message.",
  estimatedCostAfterChange: announcedCost,
};

const dryRunExample = {
  success: true,
  summary: {
    send: 2,
    skip: { duplicate_contact: 1 },
    firstScheduledFor: "2026-11-23T13:00:00.000Z",
    lastScheduledFor: "2026-11-23T13:00:30.000Z",
    days: 1,
    windowOpen: 1,
    freeEntryPoint: 0,
    sentAs: { message: 2, direct_send: 0, template: 0, invitation: 0 },
  },
  items: [
    {
      index: 0,
      outcome: "send",
      reason: null,
      scheduledFor: "2026-11-23T13:00:00.000Z",
    },
    {
      index: 1,
      outcome: "send",
      reason: null,
      scheduledFor: "2026-11-23T13:00:30.000Z",
    },
    { index: 2, outcome: "skip", reason: "duplicate_contact", scheduledFor: null },
  ],
  samples: [
    { index: 0, message: "Oi João, seu cupom é JOAO10." },
    { index: 1, message: "Oi Ana, seu cupom é ANA10." },
  ],
  nextIndex: null,
  wouldBeRefused: false,
  warnings: [],
  estimatedCost: { amount: "0.04", currency: "USD", unknown: 0 },
  estimatedCostAfterChange: null,
};

/** The description of each action, by the last part of its path. */
const actions: Readonly<
  Record<
    BatchAction,
    Pick<Operation, "operationId" | "summary" | "description"> & { readonly status: string }
  >
> = {
  start: {
    operationId: "startBatch",
    summary: "Start a batch",
    description:
      "The draft runs: its messages leave one by one, at the pace of the instance's queue. Two running batches of an instance take turns, and single sends pass between their slots.",
    status: "running",
  },
  pause: {
    operationId: "pauseBatch",
    summary: "Pause a batch",
    description: "Nothing of it leaves any more, but for a message in flight. Its slots are free.",
    status: "paused",
  },
  resume: {
    operationId: "resumeBatch",
    summary: "Resume a paused batch",
    description:
      "Goes on where it was paused, by a call or by itself, with new slots. What has failed stays `failed`, until `retry-failed`.",
    status: "running",
  },
  cancel: {
    operationId: "cancelBatch",
    summary: "Cancel a batch",
    description:
      "Recipients who have not received the message will not. A message that is being sent is still sent.",
    status: "canceled",
  },
  "retry-failed": {
    operationId: "retryFailedOfBatch",
    summary: "Try what has failed again",
    description:
      "Recipients whose message is `failed` are pending again. Never those of `unconfirmed` messages, which may have left.",
    status: "running",
  },
};

const describeAction = (action: BatchAction): Operation => {
  const { status, ...described } = actions[action];
  return {
    ...described,
    method: "POST",
    path: `/batches/:id/${action}`,
    tag: "Batches",
    access: "clientToken",
    pathParameters,
    body: changeBatchSchema,
    isBodyOptional: true,
    query: instanceQuerySchema,
    isIdempotent: true,
    success: {
      description: "The batch as it is now.",
      schema: batchResponseSchema,
      schemaName: "Batch",
    },
    errors: [
      ...["batch_not_found", "batch_state", "send_window_never_opens"] as const,
      // Another call takes the reference of the first payment at the same moment.
      ...(status === "running" ? ["reference_in_use"] as const : []),
    ],
    fields: { ...requestFields, ...recordFields },
    examples: [{
      name: action,
      summary: described.summary,
      request: {},
      response: {
        success: true,
        ...batchExample,
        status,
        startedAt: "2026-11-23T13:00:00.000Z",
      },
    }],
  };
};

export const operations: readonly Operation[] = [
  {
    method: "POST",
    path: "/batches",
    operationId: "createBatch",
    tag: "Batches",
    summary: "Create a batch",
    description:
      "Creates a draft: a list of people, and the template or the message that each of them is sent. What they are sent is filled and frozen now. A missing contact is created.\n\nA person is written to once, whatever spellings of the phone the list has. Add further recipients with `POST batches/{id}/recipients`.",
    access: "clientToken",
    body: createBatchSchema,
    maxBodyKiB,
    isIdempotent: true,
    otherSuccess: {
      description: "With `dryRun`: what creating and starting the batch now would do.",
      schema: dryRunResponseSchema,
      schemaName: "DryRun",
    },
    success: {
      status: 201,
      description: "The draft.",
      schema: storedBatchResponseSchema,
      schemaName: "StoredBatch",
    },
    errors: [
      "Template not found",
      "template_ambiguous",
      "Template does not belong to this instance",
      "template_not_synced_with_provider",
      "template_not_approved",
      "provider_outbound_channel_not_configured",
      "unsupported_on_channel",
      "send_window_never_opens",
      "media_not_found",
      "media_pending",
      "media_failed",
      "media_expired",
    ],
    fields: { ...requestFields, ...storedFields },
    examples: [
      {
        name: "message",
        summary: "A message with variables",
        request: {
          name: "Black Friday",
          message: {
            messageType: "text",
            message: "Oi {{nome}}, seu cupom é {{cupom}}.",
          },
          purpose: "marketing",
          intervalSeconds: 30,
          recipients: [
            { phone: demoPhone, variables: { cupom: "JOAO10" } },
            { phone: "5511977770001", variables: { nome: "Ana", cupom: "ANA10" } },
            { phone: "551188887777", variables: { cupom: "JOAO10" } },
          ],
        },
        response: storedExample,
      },
      {
        name: "template",
        summary: "A template, permissive",
        request: {
          template: { templateId: demoTemplateId },
          validation: "permissive",
          recipients: [
            { phone: demoPhone, variables: { pedido: "4711" }, cardId: "order-4711" },
            { phone: "5511977770001", variables: { nome: "Ana" } },
          ],
        },
        response: {
          ...storedExample,
          added: 1,
          duplicates: [],
          errors: [{
            index: 1,
            issues: [{ path: "variables.pedido", message: "is required" }],
          }],
        },
      },
    ],
  },
  {
    method: "GET",
    path: "/batches",
    operationId: "listBatches",
    tag: "Batches",
    summary: "List batches",
    description:
      "The batches of the instance, in the order of creation, or with `order=desc` in its reverse.",
    access: "clientToken",
    query: listBatchesSchema,
    success: { description: "A page of batches.", schema: batchListResponseSchema },
    errors: [],
    fields: {
      status: "Only batches of this status.",
      ...textsBelow("items", { ...requestFields, ...recordFields }),
    },
    examples: [{
      name: "drafts",
      summary: "Drafts",
      request: { status: "draft" },
      response: { success: true, items: [batchExample], nextCursor: null },
    }],
  },
  {
    method: "GET",
    path: "/batches/:id",
    operationId: "getBatch",
    tag: "Batches",
    summary: "Read a batch",
    description:
      "How far the batch is, why it has paused by itself, and what it sends. The filled text of each recipient stands in the dry run (`samples`) and, once there is one, in the recipient's message.",
    access: "clientToken",
    pathParameters,
    query: instanceQuerySchema,
    success: {
      description: "The batch.",
      schema: readBatchResponseSchema,
      schemaName: "BatchWithWords",
    },
    errors: ["batch_not_found"],
    fields: {
      ...requestFields,
      ...recordFields,
      template:
        "The template that is sent, as it was when the batch was created; null for a message.",
      "template.templateId": "Its id.",
      message:
        "The message that is sent, as the creating call gave it, with its `{{variables}}`; null for a template.",
    },
    examples: [{
      name: "draft",
      summary: "A draft",
      response: {
        success: true,
        ...batchExample,
        template: null,
        message: { messageType: "text", message: "Oi {{nome}}, seu cupom é {{cupom}}." },
      },
    }],
  },
  {
    method: "POST",
    path: "/batches/:id/recipients",
    operationId: "addBatchRecipients",
    tag: "Batches",
    summary: "Add recipients to a draft",
    description:
      "Adds up to 1,000 recipients to a draft, of 100,000 in all. Their indexes go on where the list ended.",
    access: "clientToken",
    pathParameters,
    body: addRecipientsSchema,
    maxBodyKiB,
    isIdempotent: true,
    success: {
      status: 201,
      description: "What became of them.",
      schema: storedBatchResponseSchema,
      schemaName: "StoredBatch",
    },
    errors: ["batch_not_found", "batch_state", "provider_outbound_channel_not_configured"],
    fields: {
      ...requestFields,
      ...storedFields,
      validation: `${requestFields.validation} Default: the batch's.`,
    },
    examples: [{
      name: "two",
      summary: "Two more",
      request: {
        recipients: [
          { phone: "5511977770002", variables: { nome: "Rui", cupom: "RUI10" } },
          { phone: "5511977770003", variables: { nome: "Eva", cupom: "EVA10" } },
        ],
      },
      response: { ...storedExample, duplicates: [] },
    }],
  },
  {
    method: "GET",
    path: "/batches/:id/recipients",
    operationId: "listBatchRecipients",
    tag: "Batches",
    summary: "List a batch's recipients",
    description: "The recipients in the order of the list, with what became of each.",
    access: "clientToken",
    pathParameters,
    query: listRecipientsSchema,
    success: { description: "A page of recipients.", schema: recipientListResponseSchema },
    errors: ["batch_not_found"],
    fields: {
      status: "Only recipients of this status.",
      "items.index": "Place in the list, from 0.",
      "items.phone":
        "The phone as the list has it, else the contact's; null for an entry with errors, of which nothing is kept.",
      "items.reason":
        "Why the recipient is skipped, or would be if its turn was now; null for all others.",
      "items.messageId": "The recipient's message; null until it has one.",
      "items.questionId": "The question that it asks; null for none.",
      "items.scheduledFor":
        "When the message leaves, or left: of a pending recipient of a running batch the slot that is forecast. Null while the queue is held without an end or disconnected.",
    },
    examples: [{
      name: "all",
      summary: "The first page",
      response: {
        success: true,
        items: [{
          index: 0,
          contactId: demoContactId,
          phone: demoPhone,
          status: "delivered",
          reason: null,
          messageId: demoSentMessageId,
          questionId: null,
          cardId: "order-4711",
          scheduledFor: "2026-11-23T13:01:00.000Z",
          heldBy: null,
          ...{ holdReason: null, holdCode: null, heldUntil: null },
          sentAt: "2026-11-23T13:01:00.000Z",
          deliveredAt: "2026-11-23T13:01:02.000Z",
          readAt: null,
          lastError: null,
        }],
        nextCursor: null,
      },
    }],
  },
  {
    method: "POST",
    path: "/batches/:id/dry-run",
    operationId: "dryRunBatch",
    tag: "Batches",
    summary: "Ask what starting a draft would do",
    description:
      "Answers for each recipient whether it would get the message, at which slot, or why not, if the draft was started now: with the same function that starting uses, over the window, the holidays, the instance's limits and what waits in its queue. Stores nothing.\n\n`dryRun: true` in the creating call asks the same of a batch that is not stored.",
    access: "clientToken",
    pathParameters,
    body: dryRunSchema,
    isBodyOptional: true,
    query: instanceQuerySchema,
    success: {
      description: "What would happen.",
      schema: dryRunResponseSchema,
      schemaName: "DryRun",
    },
    errors: ["batch_not_found", "batch_state", "send_window_never_opens"],
    fields: {
      ...dryRunFields,
      fromIndex:
        "The first recipient to answer for. Those before it take their slots all the same.",
      limit: "How many recipients to answer for, at most 10,000.",
    },
    examples: [{
      name: "draft",
      summary: "The first part of a draft",
      request: { fromIndex: 0, limit: 1000 },
      response: dryRunExample,
    }],
  },
  ...batchActions.map(describeAction),
];
