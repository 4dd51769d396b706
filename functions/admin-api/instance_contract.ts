import * as z from "zod";
import {
  defaultSendWindow,
  sendWindowSchema,
  writtenSettings,
} from "../../shared/model/instance_settings.ts";
import { recordSchema } from "../../shared/model/bounded_fields.ts";
import type { Issue } from "../../shared/model/errors.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import type { ProviderRegistry } from "../../shared/providers/create_registry.ts";
import type { AdministeredProvider } from "../../shared/providers/administration.ts";
import { type ProviderKind, providerKinds } from "../../shared/model/provider_kind.ts";
import { idSchema, inOneLine, phoneSchema } from "../../shared/model/request_fields.ts";
import { nameSchema } from "./contract.ts";

/** The database also checks the name against its own list of time zones. */
const timeZoneSchema = z.string().max(100).refine(
  isTimeZone,
  "must be the name of an IANA time zone, such as America/Sao_Paulo",
);

/** Validated by the provider's own schema once the provider is known. */
const providerConfigSchema: z.ZodType<Readonly<Record<string, unknown>>> = recordSchema();
const businessInstanceIdSchema = inOneLine(z.string().trim().min(1).max(255));

/** POST admin-api/instances. */
export const createInstanceSchema = z.object({
  workspaceId: idSchema,
  name: nameSchema,
  provider: z.enum(providerKinds),
  providerConfig: providerConfigSchema,
  connectedPhone: phoneSchema,
  businessInstanceId: businessInstanceIdSchema.nullish(),
  timeZone: timeZoneSchema,
  ...writtenSettings,
  onUnconfirmed: writtenSettings.onUnconfirmed.unwrap().default("hold"),
  interactiveRendering: writtenSettings.interactiveRendering.unwrap().default("auto"),
  requestsPerMinute: writtenSettings.requestsPerMinute.unwrap().default(18_000),
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
  ...writtenSettings,
});

export type UpdateInstanceRequest = z.infer<typeof updateInstanceSchema>;

/** The schemas of requests for instances, in which `providerConfig` is its provider's. */
export interface InstanceSchemas {
  /** Of a new instance; of an unknown provider the configuration is any object. */
  readonly create: (provider: unknown) => typeof createInstanceSchema;
  /** Of a change of an instance of this provider. */
  readonly update: (provider: AdministeredProvider) => typeof updateInstanceSchema;
}

/** Makes the schemas for each provider of a registry. */
export function createInstanceSchemas(
  { providers }: ProviderRegistry<AdministeredProvider>,
): InstanceSchemas {
  const ofAny = createInstanceSchema.extend({
    provider: z.enum(providers.map(({ kind }) => kind as ProviderKind)),
  }) as typeof createInstanceSchema;
  const byKind = new Map<unknown, { create: typeof ofAny; update: typeof updateInstanceSchema }>(
    providers.map(({ kind, config: { schema } }) => [kind, {
      create: ofAny.extend({ providerConfig: schema }) as typeof ofAny,
      update: updateInstanceSchema.extend({ providerConfig: schema.optional() }),
    }]),
  );
  return {
    create: (provider) => byKind.get(provider)?.create ?? ofAny,
    update: ({ kind }) => byKind.get(kind)?.update ?? updateInstanceSchema,
  };
}

/**
 * Checks what depends on the provider: the minimum lengths of the secrets that authenticate webhooks, and
 * that only an official instance has a pace. No issue contains a value. Checks new values only, so that a
 * stored instance keeps working.
 */
export function checkByProvider({ config, providerClass }: AdministeredProvider): CrossCheck {
  return ({ providerConfig, pace }) => [
    ...typeof providerConfig === "object" && providerConfig !== null
      ? findShortSecrets(config.leastLengths, { ...providerConfig })
      : [],
    ...providerClass === "gateway" && pace !== undefined && pace !== null
      ? [{ path: "pace", message: "must be null: only an official instance has a pace" }]
      : [],
  ];
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
      ...provider === undefined ? [] : checkByProvider(provider)(request),
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
