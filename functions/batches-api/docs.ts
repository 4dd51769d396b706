import {
  demoBatchId,
  demoContactId,
  demoPhone,
  demoSentMessageId,
  demoTemplateId,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import {
  addRecipientsSchema,
  batchListResponseSchema,
  batchResponseSchema,
  createBatchSchema,
  listBatchesSchema,
  listRecipientsSchema,
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
  name: "A name for people, at most 200 characters.",
  template: "The stored template that is sent; `message` in its place sends a message.",
  "message.messageType": "Type of the message.",
  message:
    "The message that is sent, as `send-message` takes it. Its texts may hold `{{variables}}`, filled from the recipient's, and `{{nome}}` and `{{telefone}}` from the contact.",
  "message.message": "The text; for media the caption, for an option list the body.",
  intervalSeconds: "Least number of seconds between two messages. Default: 30.",
  startAt: "No message leaves before. It does not start the batch.",
  expiresAt: "What has not left by then is never sent, and reads as `expired`.",
  validation:
    "`strict` refuses the whole call when an entry has errors; `permissive` takes the others.",
  recipients: "Up to 1,000 a call; 100,000 in a batch.",
  "recipients.variables": "Values of the placeholders, by name: texts or numbers.",
};

export const recordFields = {
  templateId: "The template that is sent; null for a message.",
  recipientCount: "Number of entries in the list, those that are skipped included.",
  counts:
    "Recipients by status. `pending` have no message yet; a message that is being sent counts as `queued`.",
  "counts.pending": "Have no message yet.",
  "counts.queued": "Their message waits in the queue, or is being sent.",
  "counts.sent": "The provider has accepted their message.",
  "counts.delivered": "Have received it.",
  "counts.read": "Have read it.",
  "counts.failed": "The provider refused it; `retry-failed` tries these again.",
  "counts.unconfirmed": "It may have left or not: never tried again by itself.",
  "counts.canceled": "Canceled before it left.",
  "counts.expired": "Had not left by `expiresAt`.",
  "counts.skipped": "Get none: see `reason` of the recipient.",
  firstScheduledFor: "When the first message is to leave, or was; null for a draft.",
  lastScheduledFor: "When the last message is to leave, or was; null for a draft.",
  startedAt: "When the batch was started; null for a draft.",
  finishedAt: "When nothing of the batch was left to send, or it was canceled.",
};

const counts = {
  ...{ pending: 2, queued: 0, sent: 0, delivered: 0, read: 0 },
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
  createdAt: "2026-11-23T10:00:00.000-03:00",
  startedAt: null,
  finishedAt: null,
};

const storedExample = {
  success: true,
  batchId: demoBatchId,
  status: "draft",
  added: 2,
  duplicates: [{ index: 2, of: 0 }],
  errors: [],
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
    success: {
      status: 201,
      description: "The draft.",
      schema: storedBatchResponseSchema,
      schemaName: "StoredBatch",
    },
    errors: [
      "Template not found",
      "Template does not belong to this instance",
      "template_not_synced_with_provider",
      "template_not_approved",
      "provider_outbound_channel_not_configured",
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
    description: "The batches of the instance, oldest first.",
    access: "clientToken",
    query: listBatchesSchema,
    success: { description: "A page of batches.", schema: batchListResponseSchema },
    errors: [],
    fields: {
      status: "Only batches of this status.",
      ...Object.fromEntries(
        Object.entries({ ...requestFields, ...recordFields }).map(([name, meaning]) => [
          `items.${name}`,
          meaning,
        ]),
      ),
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
    description: "How far the batch is.",
    access: "clientToken",
    pathParameters,
    success: { description: "The batch.", schema: batchResponseSchema, schemaName: "Batch" },
    errors: ["batch_not_found"],
    fields: { ...requestFields, ...recordFields },
    examples: [{
      name: "draft",
      summary: "A draft",
      response: { success: true, ...batchExample },
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
      "items.phone": "The phone as the list has it, else the contact's.",
      "items.reason": "Why the recipient is skipped; null for all others.",
      "items.messageId": "The recipient's message; null until it has one.",
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
          status: "sent",
          reason: null,
          messageId: demoSentMessageId,
          scheduledFor: "2026-11-23T10:01:00.000-03:00",
          lastError: null,
        }],
        nextCursor: null,
      },
    }],
  },
];
