import type * as z from "zod";
import type { Issue } from "../model/errors.ts";
import type { ProviderClass } from "../model/provider_kind.ts";
import {
  type ProviderBasis,
  type ProviderConfig,
  readGatewayInstanceId,
  requireConfig,
} from "./stored_config.ts";
import type { ConnectionOptions, ProviderConnection } from "./connection.ts";
import type { BilledUsage, BilledUsageRequest } from "./billed_usage.ts";
import type { TemplateAccount } from "./template_account.ts";
import type { AccountOptions, ListingOptions, TemplateListing } from "./template_listing.ts";

/** What a provider's folder declares for the administration of its instances. */
export interface AdministrationDefinition<Kind extends string, Config extends ProviderConfig>
  extends ProviderBasis<Kind, Config> {
  /**
   * Loads the module that lists an account's templates. Absent if the provider has no templates.
   */
  loadTemplateList?(): Promise<
    (config: Config, options: ListingOptions) => Promise<TemplateListing>
  >;
  /** Loads the module that opens an account's templates one by one. Absent as `loadTemplateList`. */
  loadTemplateAccount?(): Promise<
    (config: Config, options: AccountOptions) => TemplateAccount | null
  >;
  /** Loads the module that reads what the provider bills. Absent if it bills no messages. */
  loadBilledUsage?(): Promise<
    (config: Config, request: BilledUsageRequest) => Promise<BilledUsage>
  >;
  /** Loads the module that reads and builds up connections. Absent if the provider tells nothing of them. */
  loadConnection?(): Promise<(config: Config, options: ConnectionOptions) => ProviderConnection>;
}

export type ParsedConfig =
  | { readonly ok: true; readonly config: ProviderConfig }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** A provider for the function that administers its instances. */
export interface AdministeredProvider<Kind extends string = string> {
  readonly kind: Kind;
  readonly providerClass: ProviderClass;
  readonly config: {
    readonly schema: z.ZodType<ProviderConfig>;
    readonly idField: string;
    readonly secretFields: readonly string[];
    readonly leastLengths: Readonly<Record<string, number>>;
  };
  /**
   * Reads an untrusted configuration. Unknown fields are dropped. Issue paths are relative to the
   * configuration (`accessToken`), and no issue holds a value.
   */
  parseConfig(value: unknown): ParsedConfig;
  /**
   * The provider's own id of an instance. Null when its configuration holds none: an instance of
   * the official channel is then not yet configured for sending.
   */
  gatewayInstanceIdOf(config: unknown): string | null;
  /** Lists the templates of an instance's account. Null if the provider has no templates. */
  readonly listTemplates:
    | ((config: unknown, options: ListingOptions) => Promise<TemplateListing>)
    | null;
  /**
   * Opens the templates of an instance's account. Null if the provider has no templates, or the
   * configuration names no account.
   */
  openTemplates(
    config: unknown,
    options: AccountOptions,
  ): Promise<TemplateAccount | null>;
  /** Reads what the provider bills for an instance. Null if it bills no messages. */
  readonly readBilledUsage:
    | ((config: unknown, request: BilledUsageRequest) => Promise<BilledUsage>)
    | null;
  /** Opens the connection of an instance. Null if the provider tells nothing of connections. */
  openConnection(config: unknown, options: ConnectionOptions): Promise<ProviderConnection | null>;
}

/** Converts a declaration into the form that callers use who do not know its configuration type. */
export function describeAdministration<Kind extends string, Config extends ProviderConfig>(
  definition: AdministrationDefinition<Kind, Config>,
): AdministeredProvider<Kind> {
  const { kind, providerClass, config } = definition;
  const { loadTemplateList, loadTemplateAccount, loadBilledUsage, loadConnection } = definition;
  return {
    kind,
    providerClass,
    config: { ...config, leastLengths: toLengths(config.leastLengths) },
    parseConfig: (value) => parseConfig(config.schema, value),
    gatewayInstanceIdOf: (value) => readGatewayInstanceId(config, value),
    listTemplates: loadTemplateList === undefined
      ? null
      : async (value, options) =>
        await (await loadTemplateList())(requireConfig(definition, value), options),
    openTemplates: async (value, options) =>
      loadTemplateAccount === undefined
        ? null
        : (await loadTemplateAccount())(requireConfig(definition, value), options),
    readBilledUsage: loadBilledUsage === undefined
      ? null
      : async (value, request) =>
        await (await loadBilledUsage())(requireConfig(definition, value), request),
    openConnection: async (value, options) =>
      loadConnection === undefined
        ? null
        : (await loadConnection())(requireConfig(definition, value), options),
  };
}

function parseConfig(schema: z.ZodType<ProviderConfig>, value: unknown): ParsedConfig {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, config: parsed.data };
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  return { ok: false, issues };
}

function toLengths(
  lengths: Readonly<Record<string, number | undefined>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(lengths).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}
