import * as z from "zod";
import { inOneLine, instanceIdSchema } from "../../../shared/model/request_fields.ts";
import { pageSchema } from "../../../shared/model/page.ts";
import { nameSchema } from "../contract.ts";
import { agentFields } from "../../../shared/model/tenant_records.ts";
import { defineResource } from "./resource.ts";

const instructionsSchema = z.string().trim().min(1).max(32_768);

/** A model as the chat completions endpoint names it. */
const modelSchema = inOneLine(z.string().trim().min(1).max(200));

/** How many messages an answer may be. */
const maxMessagesSchema = z.number().int().min(1).max(10);

/** In seconds: how old a message may be that the agent answers. */
const answersWithinSchema = z.number().int().min(1).max(30 * 86_400);

/** GET admin-api/agents. */
const agentPageSchema = pageSchema.extend({ instanceId: instanceIdSchema.optional() });

/** POST admin-api/agents. */
const createAgentSchema = z.object({
  instanceId: instanceIdSchema,
  name: nameSchema,
  instructions: instructionsSchema,
  model: modelSchema,
  isActive: z.boolean().default(true),
  maxMessagesPerAnswer: maxMessagesSchema.default(1),
  answersWithin: answersWithinSchema.default(6 * 3_600),
});

/** PATCH admin-api/agents/:id. */
const updateAgentSchema = z.object({
  name: nameSchema.optional(),
  instructions: instructionsSchema.optional(),
  model: modelSchema.optional(),
  isActive: z.boolean().optional(),
  maxMessagesPerAnswer: maxMessagesSchema.optional(),
  answersWithin: answersWithinSchema.optional(),
});

export const agents = defineResource({
  path: "/agents",
  idName: "agentId",
  notFound: "agent_not_found",
  record: agentFields,
  get: (database, agentId) => database.rpc("get_ai_agent", { agentId }),
  list: {
    schema: agentPageSchema,
    read: (database, query) => database.rpc("list_ai_agents", query),
  },
  create: {
    schema: createAgentSchema,
    execute: (database, request) => database.rpc("create_ai_agent", request),
  },
  update: {
    schema: updateAgentSchema,
    execute: (database, agentId, changes) => database.rpc("update_ai_agent", { agentId, changes }),
  },
});
