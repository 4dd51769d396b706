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
  getAgentPauseResponseSchema,
  getAgentPauseSchema,
  noteRequestSchema,
  noteResponseSchema,
  setAgentPauseResponseSchema,
  setAgentPauseSchema,
  statusResponseSchema,
  statusSchema,
} from "./contract.ts";

const target = { instanceId: demoInstanceRef, phone: demoPhone };
const outcome = { success: true, contactId: demoContactId, conversationId: demoConversationId };

const pausedNote = "Whether the agent is silent for this contact.";

/** The operations of conversations-api (specification 4.1). */
export const operations: readonly Operation[] = [
  {
    method: "POST",
    path: "/assign",
    operationId: "assignConversation",
    tag: "Conversations",
    summary: "Assign a conversation to an operator",
    description:
      "The operator is named by e-mail or UUID and is notified by e-mail. When another operator had the conversation, `transferred` is true: the transfer log gets an entry and the conversation an internal note that names both. Assigning who has it already changes nothing.\n\n" +
      "`portfolio` = true puts the contact into the operator's portfolio. A missing contact is created.",
    access: "clientToken",
    body: assignSchema,
    isIdempotent: true,
    success: {
      description: "Who has the conversation now, and who had it.",
      schema: assignResponseSchema,
    },
    errors: ["invalid_phone", "operator_not_found", "department_not_found"],
    examples: [{
      name: "to_sales",
      summary: "To an operator of the sales department, into her portfolio",
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
    path: "/status",
    operationId: "setConversationStatus",
    tag: "Conversations",
    summary: "Change a conversation's status",
    description:
      "Any status may follow any other. `internalNote` is recorded with the change. A missing contact is created.",
    access: "clientToken",
    body: statusSchema,
    isIdempotent: true,
    success: {
      description: "The status, and whether a note was added.",
      schema: statusResponseSchema,
    },
    errors: ["invalid_phone"],
    fields: { status: "Status of the conversation." },
    examples: [{
      name: "close_with_note",
      summary: "Closed, with a note for the operators",
      request: { ...target, status: "closed", internalNote: "Resolvido por telefone." },
      response: { ...outcome, status: "closed", noteAdded: true },
    }],
  },
  {
    method: "POST",
    path: "/note",
    operationId: "addInternalNote",
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
    errors: ["invalid_phone"],
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
    summary: "Read whether the AI agent is silent for a contact",
    description: "An unknown phone has no pause and no `contactId`; nothing is created.",
    access: "clientToken",
    query: getAgentPauseSchema,
    success: {
      description: "Whether the agent is silent, and until when.",
      schema: getAgentPauseResponseSchema,
    },
    errors: ["invalid_phone"],
    fields: { contactId: "The contact's UUID; null for an unknown phone.", paused: pausedNote },
    examples: [{
      name: "paused",
      summary: "A person has just written",
      request: target,
      response: {
        success: true,
        contactId: demoContactId,
        paused: true,
        aiAgentPausedUntil: "2026-11-23T10:30:00.000-03:00",
      },
    }],
  },
  {
    method: "POST",
    path: "/agent-pause",
    operationId: "setAgentPause",
    tag: "Conversations",
    summary: "Silence the AI agent for a contact, or let it speak",
    description:
      "With `paused` = true the agent is silent for `minutes` from now, whatever pause there was; with false it may speak at once. A missing contact is created.",
    access: "clientToken",
    body: setAgentPauseSchema,
    isIdempotent: true,
    success: {
      description: "Whether the agent is silent now, and until when.",
      schema: setAgentPauseResponseSchema,
    },
    errors: ["invalid_phone"],
    fields: {
      paused: pausedNote,
      minutes: "How long the agent is to be silent, at most 30 days.",
    },
    examples: [{
      name: "one_hour",
      summary: "Silent for an hour",
      request: { ...target, paused: true, minutes: 60 },
      response: {
        success: true,
        contactId: demoContactId,
        paused: true,
        aiAgentPausedUntil: "2026-11-23T11:00:00.000-03:00",
      },
    }],
  },
];
