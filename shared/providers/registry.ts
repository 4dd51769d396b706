/** From an instance's provider kind and configuration to its provider. */
import type { Issue } from "../model/errors.ts";
import type * as z from "zod";
import { createEvolutionProvider } from "./evolution/provider.ts";
import { type EvolutionConfig, evolutionConfigSchema } from "./evolution/config.ts";
import { readText } from "../model/json_value.ts";
import type { Provider } from "./provider.ts";
import type { ProviderKind } from "../model/provider_kind.ts";
import { createWhatsappCloudProvider } from "./whatsapp_cloud/provider.ts";
import { type WhatsappCloudConfig, whatsappCloudConfigSchema } from "./whatsapp_cloud/config.ts";
import { createZapiProvider } from "./zapi/provider.ts";
import { type ZapiConfig, zapiConfigSchema } from "./zapi/config.ts";

/** The configuration type of each provider kind. */
export interface ProviderConfigs {
  readonly whatsapp_cloud: WhatsappCloudConfig;
  readonly zapi: ZapiConfig;
  readonly evolution: EvolutionConfig;
}

/** The zod schema of each provider kind's `providerConfig`. */
export const providerConfigSchemas: {
  readonly [Kind in ProviderKind]: z.ZodType<ProviderConfigs[Kind]>;
} = {
  whatsapp_cloud: whatsappCloudConfigSchema,
  zapi: zapiConfigSchema,
  evolution: evolutionConfigSchema,
};

export type ParsedProviderConfig<Kind extends ProviderKind> =
  | { readonly ok: true; readonly config: ProviderConfigs[Kind] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * Reads an untrusted configuration. Unknown fields are dropped. Issue paths are relative to the
 * configuration (`accessToken`), and no issue holds a value.
 */
export function parseProviderConfig<Kind extends ProviderKind>(
  kind: Kind,
  value: unknown,
): ParsedProviderConfig<Kind> {
  const schema: z.ZodType<ProviderConfigs[Kind]> = providerConfigSchemas[kind];
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, config: parsed.data };
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  return { ok: false, issues };
}

/**
 * The provider of an instance, from its stored configuration.
 *
 * @throws Error when the stored configuration does not fit the kind, a defect: it was checked when
 * it was written. The error names the fields, never their values.
 */
export function createProvider(kind: ProviderKind, config: unknown): Provider {
  switch (kind) {
    case "whatsapp_cloud":
      return createWhatsappCloudProvider(requireConfig(kind, config));
    case "zapi":
      return createZapiProvider(requireConfig(kind, config));
    case "evolution":
      return createEvolutionProvider(requireConfig(kind, config));
  }
}

/**
 * The provider's own id of an instance: phone number id, Z-API instance, Evolution instance name.
 * Null when the configuration holds none; an official instance is then not configured for sending.
 */
export function gatewayInstanceIdOf(kind: ProviderKind, config: unknown): string | null {
  return readText(config, idFields[kind]) ?? null;
}

/** The field of the configuration that holds `gatewayInstanceIdOf`. */
export function gatewayInstanceIdFieldOf(kind: ProviderKind): string {
  return idFields[kind];
}

const idFields = {
  whatsapp_cloud: "phoneNumberId",
  zapi: "gatewayInstanceId",
  evolution: "instanceName",
} as const satisfies Record<ProviderKind, string>;

function requireConfig<Kind extends ProviderKind>(
  kind: Kind,
  value: unknown,
): ProviderConfigs[Kind] {
  const parsed = parseProviderConfig(kind, value);
  if (parsed.ok) return parsed.config;
  const paths = parsed.issues.map(({ path }) => path).join(", ");
  throw new Error(`stored ${kind} configuration does not fit: ${paths}`);
}
