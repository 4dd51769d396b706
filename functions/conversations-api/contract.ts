import * as z from "zod";
import { controlActions, controlRoles } from "../../shared/model/control.ts";
import {
  controlledFields,
  conversationSchema,
  conversationStateFields,
  conversationStatusSchema,
  deletedConversationSchema,
  noteSchema,
  readAgentPauseFields,
  recordedNoteFields,
  setAgentPauseFields,
  transferSchema,
  unassignedFields,
} from "../../shared/model/conversation_record.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import { storableInstantSchema } from "../../shared/model/instant.ts";
import { orderSchema, pageSchema } from "../../shared/model/page.ts";
import {
  assignToSchema,
  findFilterIssues,
  findRecipientIssues,
  flagSchema,
  idSchema,
  instanceIdSchema,
  instanceQuerySchema,
  recipientFields,
} from "../../shared/model/request_fields.ts";
import {
  assignmentFields,
  providerFailureFields,
  successField,
} from "../../shared/model/response_fields.ts";

const targetFields = { instanceId: instanceIdSchema, ...recipientFields };

/** Requires exactly one of `phone`, `contactId` and `userId`. */
export const checkTarget: CrossCheck = (request) => findRecipientIssues(request);

const noteTextSchema = z.string().trim().min(1).max(10_000);

/** POST /functions/v1/conversations-api/assign (specification 4.1). */
export const assignSchema = z.object({
  ...targetFields,
  assignTo: assignToSchema,
  portfolio: z.boolean().optional(),
  departmentId: idSchema.optional(),
});

/** POST /functions/v1/conversations-api/status (specification 4.1). */
export const statusSchema = z.object({
  ...targetFields,
  status: conversationStatusSchema,
  internalNote: noteTextSchema.optional(),
});

/** POST /functions/v1/conversations-api/note (specification 4.1). */
export const noteRequestSchema = z.object({ ...targetFields, note: noteTextSchema });

/** GET /functions/v1/conversations-api/agent-pause (beyond the specification). */
export const getAgentPauseSchema = instanceQuerySchema.extend(recipientFields);

/** Longest pause of an agent: 30 days. */
const maxPauseMinutes = 43_200;

/**
 * POST /functions/v1/conversations-api/agent-pause (beyond the specification): `paused: true`
 * pauses the agent for `minutes` from now; false ends the pause.
 */
export const setAgentPauseSchema = z.object({
  ...targetFields,
  instanceId: instanceIdSchema.optional(),
  paused: z.boolean(),
  minutes: z.number().int().min(1).max(maxPauseMinutes).default(30),
});

/** POST /functions/v1/conversations-api/control (beyond the specification). */
export const controlSchema = z.object({
  ...targetFields,
  instanceId: instanceIdSchema.optional(),
  action: z.enum(controlActions),
  role: z.enum(controlRoles).optional(),
});

/** A role says whom a conversation is passed to. */
export const checkControl: CrossCheck = (request) => [
  ...checkTarget(request),
  ...(request["role"] !== undefined && ["take", "release"].includes(String(request["action"]))
    ? [{ path: "role", message: "only with action pass" }]
    : []),
];

/** POST /functions/v1/conversations-api/unassign (beyond the specification). */
export const unassignSchema = z.object({
  ...targetFields,
  instanceId: instanceIdSchema.optional(),
});

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** GET /functions/v1/conversations-api/conversations. A conversation must pass every filter. */
export const listConversationsSchema = pageSchema.extend({
  instanceId: instanceIdSchema.optional(),
  ...recipientFields,
  status: conversationStatusSchema.optional(),
  assignedTo: z.string().trim().min(1).max(320).refine(isStorable, "must be text").optional(),
  departmentId: idSchema.optional(),
  tag: z.string().normalize("NFC").trim().refine(
    (name) => [...name].length >= 1 && [...name].length <= 50 && isStorable(name),
    "must be 1 to 50 characters",
  ).meta({ minLength: 1, maxLength: 50 }).optional(),
  awaitingReply: flagSchema.optional(),
  referral: flagSchema.optional(),
  order: orderSchema.optional(),
  updatedSince: storableInstantSchema.optional(),
});

/** Changes are followed from the oldest: a newest one would only be the newest for an instant. */
export const checkListConversations: CrossCheck = (query) => [
  ...findFilterIssues(query),
  ...(query["order"] === "desc" && query["updatedSince"] !== undefined
    ? [{ path: "order", message: "must not be desc beside updatedSince" }]
    : []),
];

/** GET /functions/v1/conversations-api/conversations/{id}. */
export const getConversationSchema = instanceQuerySchema;

/** GET /functions/v1/conversations-api/conversations/{id}/notes and .../transfers. */
export const listOfConversationSchema = pageSchema.extend({
  instanceId: instanceIdSchema.optional(),
});

/** A conversation's id in a path. No conversation has an id of another form. */
export const conversationIdSchema = idSchema;

export const assignResponseSchema = z.object({ ...successField, ...assignmentFields });

export const statusResponseSchema = z.object({ ...successField, ...conversationStateFields });

export const noteResponseSchema = z.object({ ...successField, ...recordedNoteFields });

export const setAgentPauseResponseSchema = z.object({ ...successField, ...setAgentPauseFields });

export const getAgentPauseResponseSchema = z.object({ ...successField, ...readAgentPauseFields });

export const controlResponseSchema = z.object({ ...successField, ...controlledFields });

/** The members of the channel's error about a change of who holds it. */
export const controlFailureSchema = z.object(providerFailureFields);

export const unassignResponseSchema = z.object({ ...successField, ...unassignedFields });

export const conversationResponseSchema = conversationSchema.extend(successField);

const nextCursorField = { nextCursor: z.string().nullable() };

export const conversationsResponseSchema = z.object({
  ...successField,
  items: z.array(z.union([conversationSchema, deletedConversationSchema])),
  ...nextCursorField,
});

export const notesResponseSchema = z.object({
  ...successField,
  items: z.array(noteSchema),
  ...nextCursorField,
});

export const transfersResponseSchema = z.object({
  ...successField,
  items: z.array(transferSchema),
  ...nextCursorField,
});
