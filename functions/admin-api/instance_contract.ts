import * as z from "zod";
import type { Issue } from "../../shared/model/errors.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import { providerConfigSchemas } from "../../shared/providers/registry.ts";
import { type ProviderKind, providerKinds } from "../../shared/model/provider_kind.ts";
import { daySchema, idSchema, phoneSchema } from "../../shared/model/request_fields.ts";
import { nameSchema } from "./contract.ts";

const windowStartSchema = z.string().regex(
  /^([01]\d|2[0-3]):[0-5]\d$/,
  "must be a time like 08:00",
);
const windowEndSchema = z.string().regex(
  /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/,
  "must be a time like 20:00, at most 24:00",
);
const windowDaysSchema = z.array(z.number().int().min(1).max(7)).min(1)
  .refine((days) => new Set(days).size === days.length, "must not name a day twice")
  .transform((days) => days.toSorted((a, b) => a - b));

/** When the queue may send: local times, ISO weekdays (1 is Monday), days without sending. */
const sendWindowSchema = z.object({
  start: windowStartSchema.optional(),
  end: windowEndSchema.optional(),
  days: windowDaysSchema.optional(),
  holidays: z.array(daySchema).max(1_000).optional(),
});

/** The window of an instance that says nothing else (decisions, section 5). */
export const defaultSendWindow = {
  start: "08:00",
  end: "20:00",
  days: [1, 2, 3, 4, 5],
  holidays: [],
} as const;

/** The database asks the same of its own list of time zones. */
const timeZoneSchema = z.string().max(100).refine(
  isTimeZone,
  "must be the name of an IANA time zone, such as America/Sao_Paulo",
);

/** Read as the provider's own configuration once the provider is known. */
const providerConfigSchema: z.ZodType<Readonly<Record<string, unknown>>> = z.record(
  z.string(),
  z.unknown(),
);
const businessInstanceIdSchema = z.string().trim().min(1).max(255);
const onUnconfirmedSchema = z.enum(["hold", "retry"]);
/** What each client token may ask of each function; null is no limit. */
const requestsPerMinuteSchema = z.number().int().min(1).max(1_000_000).nullable();

/** POST admin-api/instances. */
export const createInstanceSchema = z.object({
  workspaceId: idSchema,
  name: nameSchema,
  provider: z.enum(providerKinds),
  providerConfig: providerConfigSchema,
  connectedPhone: phoneSchema,
  businessInstanceId: businessInstanceIdSchema.nullish(),
  timeZone: timeZoneSchema,
  sendWindow: sendWindowSchema.optional(),
  onUnconfirmed: onUnconfirmedSchema.default("hold"),
  requestsPerMinute: requestsPerMinuteSchema.default(18_000),
});

export type CreateInstanceRequest = z.infer<typeof createInstanceSchema>;

/** PATCH admin-api/instances/:id. The provider itself stays; `providerConfig` is replaced whole. */
export const updateInstanceSchema = z.object({
  name: nameSchema.optional(),
  providerConfig: providerConfigSchema.optional(),
  connectedPhone: phoneSchema.optional(),
  businessInstanceId: businessInstanceIdSchema.nullish(),
  timeZone: timeZoneSchema.optional(),
  sendWindow: sendWindowSchema.optional(),
  onUnconfirmed: onUnconfirmedSchema.optional(),
  requestsPerMinute: requestsPerMinuteSchema.optional(),
});

export type UpdateInstanceRequest = z.infer<typeof updateInstanceSchema>;

/** The schema of a new instance, its `providerConfig` read as that of the provider, if it is one. */
export function createInstanceSchemaFor(provider: unknown): typeof createInstanceSchema {
  const kind = z.enum(providerKinds).safeParse(provider);
  if (!kind.success) return createInstanceSchema;
  return createInstanceSchema.extend({ providerConfig: providerConfigSchemas[kind.data] });
}

/** The schema of a change, its `providerConfig` read as that of the instance's provider. */
export function updateInstanceSchemaFor(kind: ProviderKind): typeof updateInstanceSchema {
  return updateInstanceSchema.extend({ providerConfig: providerConfigSchemas[kind].optional() });
}

/**
 * Least lengths of what webhooks are authenticated by. A webhook secret is the only credential of a
 * gateway's address. Meta makes app secrets of 32 characters; a verify token answers one handshake.
 * Asked of new values alone: an instance that is stored keeps working.
 */
const leastLengths: Readonly<Record<ProviderKind, Readonly<Record<string, number>>>> = {
  whatsapp_cloud: { appSecret: 8, verifyToken: 8 },
  zapi: { webhookSecret: 24 },
  evolution: { webhookSecret: 24 },
};

/** Holds the secrets of a new `providerConfig` to their least lengths; no issue holds a value. */
export function checkProviderConfig(kind: ProviderKind): CrossCheck {
  return ({ providerConfig }) =>
    typeof providerConfig === "object" && providerConfig !== null
      ? findShortSecrets(kind, { ...providerConfig })
      : [];
}

function findShortSecrets(kind: ProviderKind, config: Readonly<Record<string, unknown>>): Issue[] {
  return Object.entries(leastLengths[kind]).flatMap(([path, least]) => {
    const value = config[path];
    if (typeof value !== "string" || value.length >= least) return [];
    return [{ path: `providerConfig.${path}`, message: `must have at least ${least} characters` }];
  });
}

/** What the fields of a new instance ask of each other. */
export const checkNewInstance: CrossCheck = (request) => {
  const kind = z.enum(providerKinds).safeParse(request["provider"]);
  return [
    ...kind.success ? checkProviderConfig(kind.data)(request) : [],
    ...checkSendWindow(request),
  ];
};

function checkSendWindow(request: Readonly<Record<string, unknown>>): Issue[] {
  const parsed = sendWindowSchema.safeParse(request["sendWindow"]);
  if (!parsed.success) return [];
  const { start, end } = { ...defaultSendWindow, ...parsed.data };
  if (end > start) return [];
  const path = parsed.data.end === undefined ? "sendWindow.start" : "sendWindow.end";
  return [{ path, message: "end must be after start" }];
}

/** Whether the runtime knows the zone by a name: offsets such as +03:00 have no daylight saving. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}
