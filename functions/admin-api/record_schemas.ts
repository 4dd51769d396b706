/** The records as responses hold them; for the document and the tests, not for the function. */
import * as z from "zod";
import { instantSchema, successField } from "../../shared/openapi/response_fields.ts";
import { providerKinds } from "../../shared/model/provider_kind.ts";
import { daySchema } from "../../shared/model/request_fields.ts";

const createdAt = { createdAt: instantSchema };
const changedAt = { ...createdAt, updatedAt: instantSchema };

export const workspaceFields = { workspaceId: z.uuid(), name: z.string(), ...createdAt };

export const operatorFields = {
  operatorId: z.uuid(),
  workspaceId: z.uuid(),
  name: z.string(),
  email: z.string(),
  ...createdAt,
};

export const departmentFields = {
  departmentId: z.uuid(),
  workspaceId: z.uuid(),
  name: z.string(),
  ...createdAt,
};

export const agentFields = {
  agentId: z.uuid(),
  instanceId: z.uuid(),
  name: z.string(),
  instructions: z.string(),
  model: z.string(),
  isActive: z.boolean(),
  ...changedAt,
};

export const templateFields = {
  templateId: z.uuid(),
  workspaceId: z.uuid(),
  instanceId: z.uuid().nullable(),
  name: z.string(),
  language: z.string(),
  parameterFormat: z.enum(["POSITIONAL", "NAMED"]),
  components: z.array(z.looseObject({ type: z.string() })),
  providerStatus: z.string().nullable(),
  providerTemplateId: z.string().nullable(),
  ...changedAt,
};

export const instanceFields = {
  instanceId: z.uuid(),
  workspaceId: z.uuid(),
  name: z.string(),
  provider: z.enum(providerKinds),
  gatewayInstanceId: z.string().nullable(),
  businessInstanceId: z.string().nullable(),
  embedKey: z.string(),
  connectedPhone: z.string(),
  timeZone: z.string(),
  sendWindow: z.object({
    start: z.string(),
    end: z.string(),
    days: z.array(z.int()),
    holidays: z.array(daySchema),
  }),
  onUnconfirmed: z.enum(["hold", "retry"]),
  requestsPerMinute: z.int().min(1).nullable(),
  webhookPath: z.string(),
  ...createdAt,
};

export const tokenFields = {
  tokenId: z.uuid(),
  instanceId: z.uuid(),
  label: z.string().nullable(),
  expiresAt: instantSchema.nullable(),
  lastUsedAt: instantSchema.nullable(),
  revokedAt: instantSchema.nullable(),
  ...createdAt,
};

export const outboxFields = {
  outboxId: z.uuid(),
  workspaceId: z.uuid(),
  instanceId: z.uuid().nullable(),
  kind: z.string(),
  status: z.enum(["pending", "done", "dead"]),
  attempts: z.int().min(0),
  lastError: z.string().nullable(),
  runAt: instantSchema,
  ...createdAt,
  settledAt: instantSchema.nullable(),
};

/** A record flat beside `success`. */
export function recordAnswer(fields: z.ZodRawShape): z.ZodObject {
  return z.object({ ...successField, ...fields });
}

/** A page of a collection. */
export function pageAnswer(fields: z.ZodRawShape): z.ZodObject {
  return z.object({
    ...successField,
    items: z.array(z.object(fields)),
    nextCursor: z.string().nullable(),
  });
}
