import * as z from "zod";
import {
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
    "The instance: its UUID, its business instance id, or its embed key (`emb_...`). One of `instanceId` and `connectedPhone` is required; with both, both must fit.",
  connectedPhone: "The instance's connected number, in place of `instanceId`.",
  start: "First day, in the instance's time zone.",
  end: "Last day, included; at most 366 days from `start`, both counted.",
  limit: "Most messages returned; of more than that the newest.",
  fromMe: "True for sent messages only, false for received ones only.",
  attachments: "False hides every media URL, and `mediaId`.",
  format:
    "`conversation` for items made for a language model, `raw` for the messages as they are kept.",
  includeMeta:
    "False leaves out `messageId`, `messageType`, `isGroup`, `chatName`, `cardId`, and of raw messages `sentBy` and `providerMessageId`.",
  period: "The days that were asked for.",
  "period.start": "First day.",
  "period.end": "Last day, included.",
  totalMessages: "Messages returned.",
  hasMore: "Whether older messages of the period were left out.",
  conversation: "The messages, oldest first; with `format=conversation`.",
  "conversation.role": "`user` for received, `assistant` for sent messages.",
  "conversation.sender":
    "Of a received message the contact's name or phone; of a sent one the operator's or agent's name, else the instance's.",
  "conversation.content":
    "The text. Of media the caption and the URL on a line of its own, or `[image]`, `[audio]`, `[document]`, `[video]` with `attachments=false`; of an option list its body and options; of a choice the chosen title.",
  "conversation.timestamp": "Unix time in seconds.",
  "conversation.status": "`received` or `sent`.",
  "conversation.isGroup": "Whether the chat is a group.",
  "conversation.chatName": "The provider's name of the chat.",
  messages: "The messages, oldest first; with `format=raw`.",
  "messages.mediaId":
    "The provider's id of a received file: the official channel sends no URL, the file is asked for by this id.",
  "messages.isGroup": "Whether the chat is a group.",
  "messages.chatName": "The provider's name of the chat.",
  "messages.sentBy": "Who sent it: `sentBy` of the request.",
  "messages.direction": "`inbound` for received, `outbound` for sent messages.",
  "messages.mediaUrl": "Address of the file; null with `attachments=false`.",
  "messages.choice": "The option that a received message picked.",
  "messages.template":
    "The template in the official channel's shape, filled; without `link` in media with `attachments=false`.",
  "messages.sentAt":
    "When the provider accepted it, or when it was received, in the instance's time.",
  instanceInfo: "The instance that was read.",
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
  tag: "Messages",
  summary: "Read the message history of a contact",
  description:
    "The messages that were really sent to or received from one contact over a range of days, oldest first. Both forms of a Brazilian mobile number are the same contact. An unknown phone gives an empty history; nothing is created.",
  access: "clientToken",
  query: querySchema,
  success: { description: "The history.", schema: readContextResponseSchema },
  errors: ["invalid_phone"],
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
      summary: "The messages as they are kept",
      request: { ...query, format: "raw" },
      response: {
        ...common,
        messages: [{
          ...meta,
          sentBy: "automation",
          providerMessageId: "3EB0C767D097B7C7C030",
          direction: "outbound",
          status: "read",
          message: "Seu pedido saiu para entrega.",
          mediaUrl: null,
          mediaId: null,
          mediaFilename: null,
          optionList: null,
          choice: null,
          template: null,
          sentAt: "2026-11-23T10:00:01.000-03:00",
          deliveredAt: "2026-11-23T10:00:02.000-03:00",
          readAt: "2026-11-23T10:04:10.000-03:00",
        }],
      },
    },
  ],
}];
