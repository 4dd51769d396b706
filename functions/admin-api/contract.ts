import * as z from "zod";
import {
  idSchema,
  instanceIdSchema,
  instantSchema,
  pageSizeSchema,
} from "../../shared/model/request_fields.ts";

/** What a person calls something. */
export const nameSchema = z.string().trim().min(1).max(200);

/** The query of every collection: `cursor` is the `nextCursor` of the page before. */
export const pageSchema = z.object({
  limit: pageSizeSchema,
  cursor: z.string().min(1).max(500).optional(),
});

/** Where a page ended: what a cursor holds. */
export const pageEndSchema = z.object({
  createdAt: instantSchema,
  id: idSchema,
});

/** The query of a collection that belongs to a workspace. */
export const workspacePageSchema = pageSchema.extend({ workspaceId: idSchema.optional() });

/** POST admin-api/workspaces. */
export const createWorkspaceSchema = z.object({ name: nameSchema });

/** Compared without regard to case, kept as written. */
const emailSchema = z.string().trim().max(254).pipe(z.email("must be an e-mail address"));

/** POST admin-api/operators. */
export const createOperatorSchema = z.object({
  workspaceId: idSchema,
  name: nameSchema,
  email: emailSchema,
});

/** PATCH admin-api/operators/:id. */
export const updateOperatorSchema = z.object({
  name: nameSchema.optional(),
  email: emailSchema.optional(),
});

/** POST admin-api/departments. */
export const createDepartmentSchema = z.object({ workspaceId: idSchema, name: nameSchema });

/** PATCH admin-api/departments/:id. */
export const updateDepartmentSchema = z.object({ name: nameSchema.optional() });

const instructionsSchema = z.string().trim().min(1).max(32_768);

/** A model as the chat completions endpoint names it. */
const modelSchema = z.string().trim().min(1).max(200);

/** GET admin-api/agents. */
export const agentPageSchema = pageSchema.extend({ instanceId: instanceIdSchema.optional() });

/** POST admin-api/agents. */
export const createAgentSchema = z.object({
  instanceId: instanceIdSchema,
  name: nameSchema,
  instructions: instructionsSchema,
  model: modelSchema,
  isActive: z.boolean().default(true),
});

/** PATCH admin-api/agents/:id. */
export const updateAgentSchema = z.object({
  name: nameSchema.optional(),
  instructions: instructionsSchema.optional(),
  model: modelSchema.optional(),
  isActive: z.boolean().optional(),
});

/** GET admin-api/outbox. */
export const outboxPageSchema = workspacePageSchema.extend({
  status: z.enum(["pending", "done", "dead"]).optional(),
});
