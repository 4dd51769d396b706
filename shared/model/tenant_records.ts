/** Workspaces and what belongs to them as admin-api shows them: answers and the database's records follow. */
import * as z from "zod";
import { instantSchema } from "./instant.ts";
import { peopleScopePhases, peopleScopes } from "./people_scope.ts";
import type { AnswerOf } from "./response_fields.ts";
import { tokenScopes } from "./token_scope.ts";

export const workspaceFields = {
  workspaceId: z.uuid(),
  name: z.string(),
  alertEmail: z.string().nullable(),
  peopleScope: z.enum(peopleScopes),
  /** How far a change of the scope is; null where none is under way. */
  peopleScopeChange: z.object({
    to: z.enum(peopleScopes),
    phase: z.enum(peopleScopePhases),
    done: z.int(),
    total: z.int().nullable(),
    startedAt: instantSchema,
  }).nullable(),
  createdAt: instantSchema,
};

export type WorkspaceRecord = AnswerOf<z.ZodObject<typeof workspaceFields>>;

export const operatorFields = {
  operatorId: z.uuid(),
  workspaceId: z.uuid(),
  name: z.string(),
  email: z.string(),
  createdAt: instantSchema,
};

export type OperatorRecord = AnswerOf<z.ZodObject<typeof operatorFields>>;

export const departmentFields = {
  departmentId: z.uuid(),
  workspaceId: z.uuid(),
  name: z.string(),
  createdAt: instantSchema,
};

export type DepartmentRecord = AnswerOf<z.ZodObject<typeof departmentFields>>;

export const agentFields = {
  agentId: z.uuid(),
  instanceId: z.uuid(),
  name: z.string(),
  instructions: z.string(),
  model: z.string(),
  isActive: z.boolean(),
  maxMessagesPerAnswer: z.int(),
  /** In seconds. */
  answersWithin: z.int(),
  createdAt: instantSchema,
  updatedAt: instantSchema,
};

export type AgentRecord = AnswerOf<z.ZodObject<typeof agentFields>>;

/** The recipients that a token opens to the function mcp. `known`: contacts that no call of mcp has created. */
export const mcpRecipients = ["known", "any"] as const;

/** A token as responses show it, without its secret. */
export const tokenFields = {
  tokenId: z.uuid(),
  instanceId: z.uuid(),
  label: z.string().nullable(),
  scopes: z.array(z.enum(tokenScopes)),
  mcp: z.object({
    recipients: z.enum(mcpRecipients),
    maxSendsPerHour: z.int(),
  }),
  expiresAt: instantSchema.nullable(),
  lastUsedAt: instantSchema.nullable(),
  revokedAt: instantSchema.nullable(),
  createdAt: instantSchema,
};

export type TokenRecord = AnswerOf<z.ZodObject<typeof tokenFields>>;
