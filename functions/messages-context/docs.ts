import * as z from "zod";
import {
  demoContact,
  demoConversationId,
  demoInstanceId,
  demoInstanceRef,
  demoPhone,
  demoSentMessageId,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import { readContextResponseSchema, readContextSchema } from "./contract.ts";

/** The query of the contract, with the types that the query's texts represent. */
const querySchema = readContextSchema.extend({
  limit: z.int().min(1).max(1_000).default(100),
  fromMe: z.boolean().optional(),
  attachments: z.boolean().default(true),
  includeMeta: z.boolean().default(true),
});

const meanings: Operation["fields"] = {
  instanceId:
    "The instance: its UUID, its business instance id, or its embed key (`emb_...`). Either `instanceId` or `connectedPhone` is required; when both are present, they must name the same instance.",
  connectedPhone: "The instance's phone number, instead of `instanceId`.",
  start: "First day, in the instance's time zone.",
  end: "Last day, inclusive; the range has at most 366 days.",
  limit: "Maximum number of messages; when there are more, the newest are returned.",
  fromMe: "True returns only sent messages, false only received ones.",
  attachments: "False omits all media URLs and `mediaId`.",
  format: "`conversation` for items suited to a language model, `raw` for the stored messages.",
  includeMeta:
    "False omits `messageId`, `messageType`, `isGroup`, `chatName` and `cardId`, and from raw messages also everything that the message's record at messages-api has beside what was said, when.",
  period: "The requested range of days.",
  "period.start": "First day.",
  "period.end": "Last day, inclusive.",
  totalMessages: "Number of returned messages.",
  hasMore: "Whether the period has older messages that were not returned.",
  conversation: "The messages, oldest first; with `format=conversation`.",
  "conversation.role": "`user` for received, `assistant` for sent messages.",
  "conversation.sender":
    "For received messages the contact's name or phone; for sent messages the name of the operator or agent, otherwise of the instance.",
  "conversation.content":
    "The text. For media the caption and, on a separate line, the URL (with `attachments=false`: `[image]`, `[audio]`, `[document]` or `[video]`), of a voice message before it `[transcript]` and its words; for an option list its body and options; for a selected option its title.",
  "conversation.timestamp": "Unix time in seconds.",
  "conversation.status": "`received` or `sent`.",
  "conversation.isGroup": "Whether the chat is a group.",
  "conversation.chatName": "The provider's name of the chat.",
  messages: "The messages, oldest first; with `format=raw`.",
  "messages.mediaId":
    "The message's file, for `media-api`; null without one, for messages from before files were kept, and with `attachments=false`.",
  "messages.mediaStatus":
    "Whether the file is there; null without `mediaId`. `mediaUrl` is null where it is `failed` or `expired`.",
  "messages.transcript": "What is said in a voice message, as a machine has written it down.",
  "messages.isGroup": "Whether the chat is a group.",
  "messages.chatName": "The provider's name of the chat.",
  "messages.sentBy":
    "`sentBy` of the request; `phone` for what was typed on the phone, `other_app` for what another program sent through the same channel; null for a received message.",
  "messages.metadata": "The `metadata` of the call that sent it; empty when it had none.",
  contact: "The contact, as it is now, with `format=raw`; null for an unknown one.",
  "messages.direction": "`inbound` for received, `outbound` for sent messages.",
  "messages.mediaUrl":
    "URL of the file: a signed link that works without a token for seven days, a new one in each answer; of a sent message with `mediaUrl` that URL. Null with `attachments=false`.",
  "messages.template":
    "The filled template in the official channel's format; media have no `link` with `attachments=false`.",
  "messages.sentAt":
    "Time at which the provider accepted the message, or at which it was received.",
  instanceInfo: "The instance whose history was read.",
};

const common = {
  success: true,
  phone: demoPhone,
  period: { start: "2026-11-01", end: "2026-11-30" },
  totalMessages: 1,
  hasMore: true,
  instanceInfo: { instanceId: demoInstanceId, gatewayInstanceId: "DEMO" },
};

const meta = {
  messageId: demoSentMessageId,
  messageType: "text",
  isGroup: false,
  chatName: null,
  cardId: "order-4711",
};

const query = {
  phone: demoPhone,
  start: "2026-11-01",
  end: "2026-11-30",
  instanceId: demoInstanceRef,
  limit: 1,
};

/** The operations of messages-context (specification 4.2). */
export const operations: readonly Operation[] = [{
  method: "GET",
  path: "/",
  operationId: "readMessageHistory",
  ignoresParameters: true,
  tag: "Messages",
  summary: "Read the message history of a contact",
  description:
    "The messages that were actually sent to or received from one contact within a range of days, oldest first. Both forms of a Brazilian mobile number are the same contact. For an unknown phone or user id the history is empty; nothing is created.",
  access: "clientToken",
  query: querySchema,
  success: { description: "The history.", schema: readContextResponseSchema },
  errors: ["invalid_phone", "contact_not_found"],
  fields: meanings,
  examples: [
    {
      name: "conversation",
      summary: "For a language model",
      request: query,
      response: {
        ...common,
        conversation: [{
          role: "assistant",
          sender: "Demo",
          content: "Seu pedido saiu para entrega.",
          timestamp: 1_795_438_801,
          status: "sent",
          ...meta,
        }],
      },
    },
    {
      name: "raw",
      summary: "The stored messages",
      request: { ...query, format: "raw" },
      response: {
        ...common,
        messages: [{
          ...meta,
          sentBy: "automation",
          providerMessageId: "3EB0C767D097B7C7C030",
          quotedMessageId: null,
          quotedProviderMessageId: null,
          author: null,
          isTypedOnPhone: false,
          handledBy: "us",
          batchId: null,
          metadata: {},
          purpose: "service",
          conversationId: demoConversationId,
          channelStatus: null,
          pricing: null,
          estimatedCost: null,
          attempts: 1,
          lastError: null,
          scheduledFor: null,
          createdAt: "2026-11-23T10:00:00.000-03:00",
          editedAt: null,
          deletedAt: null,
          direction: "outbound",
          status: "read",
          message: "Seu pedido saiu para entrega.",
          mediaUrl: null,
          mediaId: null,
          mediaStatus: null,
          mediaFilename: null,
          mediaMimeType: null,
          mediaSize: null,
          transcript: null,
          optionList: null,
          template: null,
          choice: null,
          sentAt: "2026-11-23T13:00:01.000Z",
          deliveredAt: "2026-11-23T13:00:02.000Z",
          readAt: "2026-11-23T13:04:10.000Z",
        }],
        contact: demoContact,
      },
    },
  ],
}];
