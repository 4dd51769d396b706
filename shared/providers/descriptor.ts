/**
 * Everything the rest of the system knows about a provider. Each provider's folder exports one
 * descriptor; `registry.ts` lists them. Modules behind `import()` add nothing to a function's cold
 * start until they are used.
 */
import type * as z from "zod";
import { readText } from "../model/json_value.ts";
import type { Issue } from "../model/errors.ts";
import type { ProviderClass } from "../model/provider_kind.ts";
import type { Provider } from "./provider.ts";
import type { ProviderDocs } from "./provider_docs.ts";
import type { ListingOptions, TemplateListing } from "./template_listing.ts";
import type { Webhook, WebhookDefinition, WebhookReceiver } from "./webhooks/webhook.ts";

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

/** What a provider's folder declares, in terms of its own configuration type. */
export interface ProviderDefinition<Kind extends string, Config extends ProviderConfig> {
  readonly kind: Kind;
  readonly providerClass: ProviderClass;
  readonly config: ConfigDefinition<Config>;
  /** Loads the module that sends. */
  load(): Promise<(config: Config) => Provider>;
  /**
   * Loads the module that lists an account's templates. Absent if the provider has no templates.
   */
  loadTemplateList?(): Promise<
    (config: Config, options: ListingOptions) => Promise<TemplateListing>
  >;
  readonly webhook: WebhookDefinition<Config>;
  /** Loads the provider's part of the API document. */
  loadDocs(): Promise<ProviderDocs>;
}

export type ParsedConfig =
  | { readonly ok: true; readonly config: ProviderConfig }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** A provider for callers that do not know its configuration type. */
export interface ProviderDescriptor<Kind extends string = string> {
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
  /**
   * The provider of an instance, from its stored configuration.
   *
   * @throws Error when the configuration does not fit: a defect, it was checked when written. The
   * error names the fields, never their values.
   */
  open(config: unknown): Promise<Provider>;
  /** Loads what `open` needs in advance, so that the first message is not delayed. */
  preload(): Promise<void>;
  /** Lists the templates of an instance's account. Null if the provider has no templates. */
  readonly listTemplates:
    | ((config: unknown, options: ListingOptions) => Promise<TemplateListing>)
    | null;
  readonly webhook: Webhook;
  loadDocs(): Promise<ProviderDocs>;
}

/** Converts a provider folder's declaration into the descriptor that the registry lists. */
export function describeProvider<Kind extends string, Config extends ProviderConfig>(
  definition: ProviderDefinition<Kind, Config>,
): ProviderDescriptor<Kind> {
  const { kind, providerClass, config, webhook, loadTemplateList } = definition;
  const requireConfig = (value: unknown): Config => {
    const parsed = config.schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const paths = parsed.error.issues.map(({ path }) => path.join(".")).join(", ");
    throw new Error(`stored ${kind} configuration does not fit: ${paths}`);
  };
  const gatewayInstanceIdOf = (value: unknown): string | null =>
    readText(value, config.idField) ?? null;
  const openWebhook = (value: unknown): WebhookReceiver => {
    const own = requireConfig(value);
    return {
      gatewayInstanceId: gatewayInstanceIdOf(own),
      accountId: webhook.routing?.accountIdOf(own),
      authenticate: (call) => webhook.authenticate(own, call),
      answerChallenge: (query) => webhook.answerChallenge?.(own, query) ?? Promise.resolve(null),
    };
  };
  return {
    kind,
    providerClass,
    config: { ...config, leastLengths: toLengths(config.leastLengths) },
    parseConfig: (value) => parseConfig(config.schema, value),
    gatewayInstanceIdOf,
    open: async (value) => (await definition.load())(requireConfig(value)),
    preload: async () => void await definition.load(),
    listTemplates: loadTemplateList === undefined
      ? null
      : async (value, options) => await (await loadTemplateList())(requireConfig(value), options),
    webhook: {
      path: webhook.path,
      refusal: webhook.refusal,
      embedsFiles: webhook.embedsFiles,
      hasChallenge: webhook.answerChallenge !== undefined,
      routing: webhook.routing ?? null,
      open: openWebhook,
      loadEventReader: () => webhook.loadEventReader(),
    },
    loadDocs: () => definition.loadDocs(),
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

/** The values of these fields of a configuration, for the redactor. */
export function listSecrets<Config>(
  config: Config,
  fields: readonly (keyof Config)[],
): readonly string[] {
  return fields.map((field) => config[field]).filter((value) => typeof value === "string");
}
