/** What every part of a provider starts from: its kind, and the form of its configuration. */
import type * as z from "zod";
import { readText } from "../model/json_value.ts";
import type { ProviderClass } from "../model/provider_kind.ts";

/** The `providerConfig` of an instance, validated against the provider's schema. */
export type ProviderConfig = Readonly<Record<string, unknown>>;

/** The parts of a provider's `providerConfig`. */
export interface ConfigDefinition<Config> {
  readonly schema: z.ZodType<Config>;
  /** The field with the provider's own id of the instance. */
  readonly idField: keyof Config & string;
  /** The fields whose values must not appear in any error or log. */
  readonly secretFields: readonly (keyof Config & string)[];
  /**
   * The minimum lengths of webhook credentials. Checked for new values only, so that stored
   * instances keep working.
   */
  readonly leastLengths: Readonly<Partial<Record<keyof Config & string, number>>>;
}

/** The part of a provider's declaration that each of its roles needs. */
export interface ProviderBasis<Kind extends string, Config> {
  readonly kind: Kind;
  readonly providerClass: ProviderClass;
  readonly config: ConfigDefinition<Config>;
}

/**
 * The stored configuration of an instance.
 *
 * @throws Error when it does not fit: a defect, it was checked when written. The error names the
 * fields, never their values.
 */
export function requireConfig<Config>(
  { kind, config }: ProviderBasis<string, Config>,
  value: unknown,
): Config {
  const parsed = config.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const paths = parsed.error.issues.map(({ path }) => path.join(".")).join(", ");
  throw new Error(`stored ${kind} configuration does not fit: ${paths}`);
}

/** The provider's own id of an instance; null when its configuration holds none. */
export function readGatewayInstanceId(
  { idField }: { readonly idField: string },
  value: unknown,
): string | null {
  return readText(value, idField) ?? null;
}

/** The values of these fields of a configuration, for the redactor. */
export function listSecrets<Config>(
  config: Config,
  fields: readonly (keyof Config)[],
): readonly string[] {
  return fields.map((field) => config[field]).filter((value) => typeof value === "string");
}
