import * as z from "zod";
import { instantSchema, storableInstantSchema } from "../../shared/model/instant.ts";
import type { Issue } from "../../shared/model/errors.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import type { ProviderRegistry } from "../../shared/providers/create_registry.ts";
import type { AdministeredProvider } from "../../shared/providers/administration.ts";
import { type ProviderKind, providerKinds } from "../../shared/model/provider_kind.ts";
import { transcribeVoiceModes } from "../../shared/model/transcribe_voice.ts";
import {
  daySchema,
  idSchema,
  phoneSchema,
  visibleTextSchema,
} from "../../shared/model/request_fields.ts";
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
  .refine((days) => new Set(days).size === days.length, "must not contain a day twice")
  .transform((days) => days.toSorted((a, b) => a - b));

/** When the queue may send: local times, ISO weekdays (1 is Monday), days without sending. */
const sendWindowSchema = z.object({
  start: windowStartSchema.optional(),
  end: windowEndSchema.optional(),
  days: windowDaysSchema.optional(),
  holidays: z.array(daySchema).max(1_000).optional(),
});

/** The default send window of an instance (decisions, section 5). */
export const defaultSendWindow = {
  start: "08:00",
  end: "20:00",
  days: [1, 2, 3, 4, 5],
  holidays: [],
} as const;

/** The database also checks the name against its own list of time zones. */
const timeZoneSchema = z.string().max(100).refine(
  isTimeZone,
  "must be the name of an IANA time zone, such as America/Sao_Paulo",
);

/** Validated by the provider's own schema once the provider is known. */
const providerConfigSchema: z.ZodType<Readonly<Record<string, unknown>>> = z.record(
  z.string(),
  z.unknown(),
);
const businessInstanceIdSchema = z.string().trim().min(1).max(255);

/** A whole message of a contact. Compared without regard to case, accents and punctuation around it. */
const keywordSchema = z.string().trim().min(1).max(40)
  .regex(/^[^\r\n\0]*[\p{L}\p{N}][^\r\n\0]*$/u, "must be words on one line");
const keywordsSchema = z.array(keywordSchema).max(50);

/** How contacts decide about marketing by a message. Absent members keep their values. */
const optOutSchema = z.object({
  keywords: keywordsSchema.optional(),
  resumeKeywords: keywordsSchema.optional(),
  confirmation: visibleTextSchema(1_024).nullable().optional(),
}).refine(
  (optOut) => Object.values(optOut).some((value) => value !== undefined),
  "must have keywords, resumeKeywords or confirmation",
);
const retentionDaysSchema = z.number().int().min(1).max(36_500).nullable().optional();

/** How long data are kept, in days; null for ever. Absent members keep their values. */
const retentionSchema = z.object({
  messagesDays: retentionDaysSchema,
  mediaDays: retentionDaysSchema,
  providerEventsDays: retentionDaysSchema,
}).refine(
  (retention) => Object.values(retention).some((value) => value !== undefined),
  "must have messagesDays, mediaDays or providerEventsDays",
);

/** `true` and `false` are what the setting was before it had names. */
const transcribeVoiceSchema = z.preprocess(
  (value) => typeof value === "boolean" ? (value ? "always" : "never") : value,
  z.enum(transcribeVoiceModes),
);

/** How much a number may do a day. Absent members keep their values, null ones are removed. */
const protectionSchema = z.object({
  dailyLimit: z.number().int().min(1).max(1_000_000).nullable().optional(),
  newContactsPerDay: z.number().int().min(1).max(1_000_000).nullable().optional(),
  jitterSeconds: z.number().int().min(0).max(3_600).nullable().optional(),
  warmUp: z.object({
    startPerDay: z.number().int().min(1).max(1_000_000),
    rampDays: z.number().int().min(1).max(365),
    startedAt: z.union([storableInstantSchema, daySchema], {
      error: "must be a day, or an instant with an offset",
    }),
  }).nullable().optional(),
}).refine(
  (protection) => Object.values(protection).some((value) => value !== undefined),
  "must have dailyLimit, newContactsPerDay, jitterSeconds or warmUp",
).nullable();
const onUnconfirmedSchema = z.enum(["hold", "retry"]);
/** Requests per minute of one client token to one function; null is no limit. */
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
  optOut: optOutSchema.optional(),
  protection: protectionSchema.optional(),
  retention: retentionSchema.optional(),
  transcribeVoice: transcribeVoiceSchema.optional(),
  onUnconfirmed: onUnconfirmedSchema.default("hold"),
  requestsPerMinute: requestsPerMinuteSchema.default(18_000),
});

export type CreateInstanceRequest = z.infer<typeof createInstanceSchema>;

/**
 * PATCH admin-api/instances/:id. The provider cannot change. `providerConfig` is replaced as a
 * whole.
 */
export const updateInstanceSchema = z.object({
  name: nameSchema.optional(),
  providerConfig: providerConfigSchema.optional(),
  connectedPhone: phoneSchema.optional(),
  businessInstanceId: businessInstanceIdSchema.nullish(),
  timeZone: timeZoneSchema.optional(),
  sendWindow: sendWindowSchema.optional(),
  optOut: optOutSchema.optional(),
  protection: protectionSchema.optional(),
  retention: retentionSchema.optional(),
  transcribeVoice: transcribeVoiceSchema.optional(),
  onUnconfirmed: onUnconfirmedSchema.optional(),
  requestsPerMinute: requestsPerMinuteSchema.optional(),
});

export type UpdateInstanceRequest = z.infer<typeof updateInstanceSchema>;

/** An instance as responses show it, without its credentials. */
export const instanceRecord = {
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
  protection: z.object({
    dailyLimit: z.int().optional(),
    newContactsPerDay: z.int().optional(),
    jitterSeconds: z.int().optional(),
    warmUp: z.object({ startPerDay: z.int(), rampDays: z.int(), startedAt: z.string() }).optional(),
  }).nullable(),
  optOut: z.object({
    keywords: z.array(z.string()),
    resumeKeywords: z.array(z.string()),
    confirmation: z.string().nullable(),
  }),
  retention: z.object({
    messagesDays: z.int().min(1).nullable(),
    mediaDays: z.int().min(1).nullable(),
    providerEventsDays: z.int().min(1).nullable(),
  }),
  transcribeVoice: z.enum(transcribeVoiceModes),
  onUnconfirmed: z.enum(["hold", "retry"]),
  requestsPerMinute: z.int().min(1).nullable(),
  webhookPath: z.string(),
  createdAt: instantSchema,
};

/**
 * The schema of a new instance. Validates `providerConfig` by the provider's schema, if the
 * provider exists.
 */
export function createInstanceSchemaFor(
  registry: ProviderRegistry<AdministeredProvider>,
  provider: unknown,
): typeof createInstanceSchema {
  const known = findProvider(registry, provider);
  return createInstanceSchema.extend({
    provider: z.enum(registry.providers.map(({ kind }) => kind as ProviderKind)),
    ...known === undefined ? {} : { providerConfig: known.config.schema },
  }) as typeof createInstanceSchema;
}

/** The schema of a change. Validates `providerConfig` by the schema of the instance's provider. */
export function updateInstanceSchemaFor(
  provider: AdministeredProvider,
): typeof updateInstanceSchema {
  return updateInstanceSchema.extend({ providerConfig: provider.config.schema.optional() });
}

/**
 * Checks the minimum lengths of the secrets that authenticate webhooks. No issue contains a value.
 * Checks new values only, so that a stored instance keeps working.
 */
export function checkProviderConfig({ config }: AdministeredProvider): CrossCheck {
  return ({ providerConfig }) =>
    typeof providerConfig === "object" && providerConfig !== null
      ? findShortSecrets(config.leastLengths, { ...providerConfig })
      : [];
}

function findShortSecrets(
  leastLengths: Readonly<Record<string, number>>,
  config: Readonly<Record<string, unknown>>,
): Issue[] {
  return Object.entries(leastLengths).flatMap(([path, least]) => {
    const value = config[path];
    if (typeof value !== "string" || value.length >= least) return [];
    return [{ path: `providerConfig.${path}`, message: `must have at least ${least} characters` }];
  });
}

/** Checks rules between the fields of a new instance. */
export function checkNewInstance(registry: ProviderRegistry<AdministeredProvider>): CrossCheck {
  return (request) => {
    const provider = findProvider(registry, request["provider"]);
    return [
      ...provider === undefined ? [] : checkProviderConfig(provider)(request),
      ...checkSendWindow(request),
    ];
  };
}

function findProvider(
  { providers }: ProviderRegistry<AdministeredProvider>,
  kind: unknown,
): AdministeredProvider | undefined {
  return providers.find((provider) => provider.kind === kind);
}

function checkSendWindow(request: Readonly<Record<string, unknown>>): Issue[] {
  const parsed = sendWindowSchema.safeParse(request["sendWindow"]);
  if (!parsed.success) return [];
  const { start, end } = { ...defaultSendWindow, ...parsed.data };
  if (end > start) return [];
  const path = parsed.data.end === undefined ? "sendWindow.start" : "sendWindow.end";
  return [{ path, message: "end must be after start" }];
}

/**
 * Whether the runtime knows the time zone by name. Offsets such as +03:00 are invalid, because they
 * have no daylight saving time.
 */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}
