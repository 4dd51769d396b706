import * as z from "zod";
import {
  demoContactId,
  demoConversationId,
  demoDepartmentId,
  demoInstanceRef,
  demoOperatorEmail,
  demoOperatorId,
  demoPhone,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import {
  assignResponseSchema,
  assignSchema,
  controlFailureSchema,
  controlResponseSchema,
  controlSchema,
  conversationResponseSchema,
  conversationsResponseSchema,
  getAgentPauseResponseSchema,
  getAgentPauseSchema,
  getConversationSchema,
  listConversationsSchema,
  listOfConversationSchema,
  noteRequestSchema,
  noteResponseSchema,
  notesResponseSchema,
  setAgentPauseResponseSchema,
  setAgentPauseSchema,
  statusResponseSchema,
  statusSchema,
  transfersResponseSchema,
  unassignResponseSchema,
  unassignSchema,
} from "./contract.ts";

const target = { instanceId: demoInstanceRef, phone: demoPhone };
const outcome = { success: true, contactId: demoContactId, conversationId: demoConversationId };

const ofConversation: Operation["pathParameters"] = {
  id: { description: "`conversationId` of the conversation.", example: demoConversationId },
};

const conversation = {
  conversationId: demoConversationId,
  contactId: demoContactId,
  contact: { contactId: demoContactId, phone: demoPhone, name: "Maria" },
  status: "open",
  handledBy: "us",
  assignedTo: demoOperatorId,
  departmentId: demoDepartmentId,
  portfolio: true,
  awaitingReply: true,
  lastMessageAt: "2026-11-23T13:00:00.000Z",
  referral: null,
  aiAgentPausedUntil: null,
  createdAt: "2026-11-20T12:00:00.000Z",
  updatedAt: "2026-11-23T13:00:00.120Z",
};

const conversationFields = {
  contact: "The contact, in brief.",
  "contact.name": "The contact's name; null while it is unknown.",
  "contact.phone": "The contact's phone number; null while it is unknown.",
  status: "Status of the conversation.",
  assignedTo: "UUID of the operator; null for none.",
  departmentId: "The department's UUID; null for none.",
  portfolio: "Whether the contact is in an operator's portfolio.",
  awaitingReply: "Whether the last message is the contact's.",
  lastMessageAt: "When the last message was sent or received; null for none.",
  updatedAt: "When something that this record or its contact's shows has changed last.",
};

const pausedNote = "Whether the agent is paused for this contact.";

/** The operations of conversations-api (specification 4.1). */
export const operations: readonly Operation[] = [
  {
    method: "POST",
    path: "/assign",
    operationId: "assignConversation",
    ignoresParameters: true,
    tag: "Conversations",
    summary: "Assign a conversation to an operator",
    description:
      "`assignTo` is the e-mail address or UUID of the operator, who is notified by e-mail. When the conversation was assigned to another operator, `transferred` is true: the transfer is logged, and an internal note names both operators. Assigning the current operator again changes nothing.\n\n" +
      "`portfolio` = true adds the contact to the operator's portfolio, false takes it out. A missing contact is created.",
    access: "clientToken",
    body: assignSchema,
    isIdempotent: true,
    success: {
      description: "The new and the previous operator.",
      schema: assignResponseSchema,
    },
    errors: ["invalid_phone", "contact_not_found", "operator_not_found", "department_not_found"],
    examples: [{
      name: "to_sales",
      summary: "To an operator of the sales department, with portfolio",
      request: {
        ...target,
        assignTo: demoOperatorEmail,
        portfolio: true,
        departmentId: demoDepartmentId,
      },
      response: {
        success: true,
        contactId: demoContactId,
        assignedTo: demoOperatorId,
        previousAssignedTo: null,
        portfolio: true,
        transferred: false,
        departmentId: demoDepartmentId,
      },
    }],
  },
  {
    method: "POST",
    path: "/unassign",
    operationId: "unassignConversation",
    tag: "Conversations",
    summary: "Take a conversation from its operator",
    description:
      "The operator is removed: a transfer to nobody, which is logged, noted, and takes the contact out of the operator's portfolio. A conversation without an operator stays as it is: `previousAssignedTo` is null, and nothing is logged. A missing contact is created, except for an unknown `contactId`.",
    access: "clientToken",
    body: unassignSchema,
    isIdempotent: true,
    success: {
      description: "The operator whose conversation it was.",
      schema: unassignResponseSchema,
    },
    errors: ["invalid_phone", "contact_not_found"],
    fields: {
      assignedTo: "Always null: the conversation has no operator now.",
      previousAssignedTo: "UUID of the operator until now; null when there was none.",
    },
    examples: [{
      name: "back_to_the_queue",
      summary: "By the contact's id",
      request: { contactId: demoContactId },
      response: {
        success: true,
        contactId: demoContactId,
        assignedTo: null,
        previousAssignedTo: demoOperatorId,
      },
    }],
  },
  {
    method: "GET",
    path: "/conversations",
    operationId: "listConversations",
    tag: "Conversations",
    summary: "List conversations",
    description:
      "A conversation must pass every filter that is given. The order is that of creation, or with `order=desc` its reverse. With `updatedSince` it is that of the last change: following its cursor misses no change, and contacts that were merged or erased appear as `contactId`, `isDeleted` and `mergedInto`, whatever the other filters, but for a named contact. A page reads a bounded number of conversations: where few of many match, it can have fewer items than `limit`, even none, before the last page. Read on until `nextCursor` is null.",
    access: "clientToken",
    query: listConversationsSchema.extend({
      awaitingReply: z.boolean().optional(),
      referral: z.boolean().optional(),
    }),
    success: { description: "A page of conversations.", schema: conversationsResponseSchema },
    errors: [
      "invalid_phone",
      "contact_not_found",
      "contact_erased",
      "operator_not_found",
      "department_not_found",
    ],
    fields: {
      ...conversationFields,
      phone:
        "Only the conversation with the contact of this phone. At most one of `phone`, `contactId` and `userId`.",
      contactId: "Only the conversation with this contact.",
      userId: "Only the conversation with the contact of this user id of the official channel.",
      assignedTo:
        "The operator: UUID, or in the query also the e-mail address. Null in a record for none.",
      departmentId: "The department's UUID; null in a record for none.",
      isDeleted: "The contact is merged or erased; only with `updatedSince`.",
      mergedInto: "The contact that it was merged into; null when it was erased.",
      tag: "Only conversations whose contact has this tag, in any case.",
      referral:
        "The ad or post that brought the contact last; in the query, whether one did at all.",
      updatedSince: "Only conversations that have changed at this instant or later.",
    },
    examples: [{
      name: "awaiting_reply",
      summary: "Open conversations that await a reply",
      request: { status: "open", awaitingReply: true },
      response: { success: true, items: [conversation], nextCursor: null },
    }],
  },
  {
    method: "GET",
    path: "/conversations/:id",
    operationId: "getConversation",
    tag: "Conversations",
    summary: "Read a conversation",
    description: "The state of the conversation, with its contact.",
    access: "clientToken",
    pathParameters: ofConversation,
    query: getConversationSchema,
    success: { description: "The conversation.", schema: conversationResponseSchema },
    errors: ["conversation_not_found"],
    fields: conversationFields,
    examples: [{
      name: "assigned",
      summary: "An assigned conversation",
      response: { success: true, ...conversation },
    }],
  },
  {
    method: "GET",
    path: "/conversations/:id/notes",
    operationId: "listConversationNotes",
    tag: "Conversations",
    summary: "List a conversation's internal notes",
    description:
      "Notes of operators and callers, and the automatic ones of transfers, oldest first.",
    access: "clientToken",
    pathParameters: ofConversation,
    query: listOfConversationSchema,
    success: { description: "A page of notes.", schema: notesResponseSchema },
    errors: ["conversation_not_found"],
    examples: [{
      name: "one_note",
      summary: "One note",
      response: {
        success: true,
        items: [{
          noteId: "4f8a2b6d-1c3e-4d5f-9a7b-8c6d5e4f3a21",
          note: "Prefere contato à tarde.",
          createdAt: "2026-11-23T13:00:00.000Z",
        }],
        nextCursor: null,
      },
    }],
  },
  {
    method: "GET",
    path: "/conversations/:id/transfers",
    operationId: "listConversationTransfers",
    tag: "Conversations",
    summary: "List a conversation's transfers",
    description:
      "Changes from one operator to another or to nobody, oldest first. The first assignment is no transfer.",
    access: "clientToken",
    pathParameters: ofConversation,
    query: listOfConversationSchema,
    success: { description: "A page of transfers.", schema: transfersResponseSchema },
    errors: ["conversation_not_found"],
    examples: [{
      name: "to_nobody",
      summary: "A conversation that was unassigned",
      response: {
        success: true,
        items: [{
          fromOperatorId: demoOperatorId,
          toOperatorId: null,
          createdAt: "2026-11-23T13:00:00.000Z",
        }],
        nextCursor: null,
      },
    }],
  },
  {
    method: "POST",
    path: "/control",
    operationId: "controlConversation",
    tag: "Conversations",
    summary: "Take, pass or release a conversation of the official channel",
    description:
      "A number of the official channel may have several responders, such as Meta's Business Agent; one of them holds each conversation. `take` asks the channel for it, which it gives to its escalation partner alone; `pass` hands ours to the one that has `role`, without one to the escalation partner; `release` hands it to nobody: who is asked first for the kind of message gets the next one. The channel decides: its refusal is 409 `control_refused` with its code. While another one holds the conversation, the AI agent is silent; what a call sends goes to the channel as ever, which may refuse it. `conversation.control_changed` tells each change. A gateway answers 400.",
    access: "clientToken",
    body: controlSchema,
    isIdempotent: true,
    success: {
      description: "Who holds the conversation now, and who did.",
      schema: controlResponseSchema,
    },
    errors: [
      "invalid_phone",
      "unsupported_on_channel",
      "contact_not_found",
      "contact_erased",
      "control_refused",
      "provider_send_failed",
      "provider_outcome_unknown",
    ],
    failure: controlFailureSchema,
    fields: {
      action: "`take`, `pass` or `release`.",
      role:
        "Whom the conversation is passed to; only with `pass`. `ai_agent` is Meta's Business Agent.",
      previous: "Who held it until now.",
    },
    examples: [{
      name: "to_the_business_agent",
      summary: "Back to Meta's Business Agent",
      request: { phone: demoPhone, action: "pass", role: "ai_agent" },
      response: { ...outcome, handledBy: "channel_agent", previous: "us" },
    }],
  },
  {
    method: "POST",
    path: "/status",
    operationId: "setConversationStatus",
    ignoresParameters: true,
    tag: "Conversations",
    summary: "Change a conversation's status",
    description:
      "Every transition is allowed. `internalNote` is recorded with the change. A missing contact is created.",
    access: "clientToken",
    body: statusSchema,
    isIdempotent: true,
    success: {
      description: "The status, and whether a note was added.",
      schema: statusResponseSchema,
    },
    errors: ["invalid_phone", "contact_not_found"],
    fields: { status: "Status of the conversation." },
    examples: [{
      name: "close_with_note",
      summary: "Close with an internal note",
      request: { ...target, status: "closed", internalNote: "Resolvido por telefone." },
      response: { ...outcome, status: "closed", noteAdded: true },
    }],
  },
  {
    method: "POST",
    path: "/note",
    operationId: "addInternalNote",
    ignoresParameters: true,
    tag: "Conversations",
    summary: "Add an internal note",
    description:
      "The note is for operators and is never sent to the contact. A missing contact is created.",
    access: "clientToken",
    body: noteRequestSchema,
    isIdempotent: true,
    success: {
      description: "The note's id.",
      schema: noteResponseSchema,
    },
    errors: ["invalid_phone", "contact_not_found"],
    examples: [{
      name: "note",
      summary: "A note",
      request: { ...target, note: "Prefere contato à tarde." },
      response: { ...outcome, noteId: "4f8a2b6d-1c3e-4d5f-9a7b-8c6d5e4f3a21" },
    }],
  },
  {
    method: "GET",
    path: "/agent-pause",
    operationId: "getAgentPause",
    tag: "Conversations",
    summary: "Read the AI agent's pause for a contact",
    description:
      "For an unknown phone or user id, `paused` is false and `contactId` is null; nothing is created.",
    access: "clientToken",
    query: getAgentPauseSchema,
    success: {
      description: "Whether the agent is paused, and until when.",
      schema: getAgentPauseResponseSchema,
    },
    errors: ["invalid_phone", "contact_not_found"],
    fields: {
      contactId: "The contact's UUID; null for an unknown phone or user id.",
      paused: pausedNote,
    },
    examples: [{
      name: "paused",
      summary: "A person has just sent a message",
      request: target,
      response: {
        success: true,
        contactId: demoContactId,
        paused: true,
        aiAgentPausedUntil: "2026-11-23T13:30:00.000Z",
      },
    }],
  },
  {
    method: "POST",
    path: "/agent-pause",
    operationId: "setAgentPause",
    tag: "Conversations",
    summary: "Pause or resume the AI agent for a contact",
    description:
      "`paused` = true pauses the agent for `minutes` from now and replaces an earlier pause; false ends the pause. A missing contact is created.",
    access: "clientToken",
    body: setAgentPauseSchema,
    isIdempotent: true,
    success: {
      description: "Whether the agent is paused now, and until when.",
      schema: setAgentPauseResponseSchema,
    },
    errors: ["invalid_phone", "contact_not_found"],
    fields: {
      paused: pausedNote,
      minutes: "Length of the pause in minutes, at most 30 days.",
    },
    examples: [{
      name: "one_hour",
      summary: "Pause for one hour",
      request: { ...target, paused: true, minutes: 60 },
      response: {
        success: true,
        contactId: demoContactId,
        paused: true,
        aiAgentPausedUntil: "2026-11-23T14:00:00.000Z",
      },
    }],
  },
];
