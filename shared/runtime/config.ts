import * as z from "zod";
import { DatabaseHostsError, readDatabaseHosts } from "./database_hosts.ts";
import { readFunctionsUrl, withoutTrailingSlash } from "./functions_url.ts";
import { servesHtml } from "./html_hosting.ts";
import {
  describePublishedKey,
  isPublishedSecretKey,
  sealsWithPublishedKey,
} from "./published_keys.ts";

const secretKeysSchema = z.record(z.string(), z.string().min(20));

/** Where the database is: behind the project's Data API, or at a connection string. */
export type DatabaseConfig =
  & { readonly promotion: PromotionPolicy }
  & (
    | { readonly kind: "data_api"; readonly url: string; readonly secretKey: string }
    | {
      readonly kind: "direct";
      readonly databaseUrl: string;
      /** A standby of it that may be read. */
      readonly readUrl?: string;
    }
  );

/**
 * What follows where the database is on another server that may lack commits: nothing leaves until a person has
 * decided, or everything goes on (docs/availability.md).
 */
export type PromotionPolicy = "hold" | "continue";

/** A function's configuration, read from its environment once, in its `index.ts`. */
export interface Config {
  readonly database: DatabaseConfig;
  /** The project's secret keys by name: they open admin-api and metrics. */
  readonly secretKeys: Readonly<Record<string, string>>;
  /** Those that open dispatch-queue: the same, and the schedule's own, which opens nothing else. */
  readonly dispatcherKeys: Readonly<Record<string, string>>;
  /** Base64 keys, the first seals; see `createCredentialVault`. */
  readonly credentialsKeys: string;
  readonly email: EmailConfig;
  /** The language model's endpoint; null switches AI agents off. */
  readonly chatModel: ChatModelConfig | null;
  /** Base URL of the operator panel, without a trailing slash. */
  readonly panelBaseUrl: string;
  /** Time limit of one provider call, in milliseconds. */
  readonly providerTimeoutMs: number;
  /** Whether callers may name http URLs and hosts that are not public, for webhooks. */
  readonly allowsPrivateHosts: boolean;
  /** Where files of messages are kept. */
  readonly media: MediaConfig;
  /** Where the functions are reached from outside, without a trailing slash: links lead there. */
  readonly functionsUrl: string;
  /** The page on which phones are connected; null where the platform serves no HTML and none is named. */
  readonly connectPageUrl: string | null;
}

/** Files lie in a folder of this machine, or in Supabase Storage. */
export type MediaConfig =
  | { readonly kind: "folder"; readonly folder: string }
  | { readonly kind: "supabase"; readonly url: string; readonly secretKey: string };

/** An OpenAI-compatible chat completions endpoint; `baseUrl` ends before `/chat/completions`. */
export interface ChatModelConfig {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Asked at `/audio/transcriptions`; absent for the default one. */
  readonly transcriptionModel?: string | undefined;
}

export interface EmailConfig {
  readonly resendApiKey: string;
  /** Another address of the Resend API; its public one when absent. */
  readonly resendBaseUrl?: string | undefined;
  readonly from: string;
}

const environmentSchema = z.object({
  SUPABASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//).optional(),
  DATABASE_READ_URL: z.string().regex(/^postgres(ql)?:\/\//).optional(),
  PROMOTION: z.enum(["hold", "continue"]).default("hold"),
  SUPABASE_SECRET_KEYS: z.string().optional(),
  SUPABASE_SECRET_KEY: z.string().min(20).optional(),
  CREDENTIALS_KEYS: z.string().min(44),
  RESEND_API_KEY: z.string().min(1),
  RESEND_BASE_URL: z.url().optional(),
  EMAIL_FROM: z.string().min(3),
  PANEL_BASE_URL: z.url(),
  AI_BASE_URL: z.url().optional(),
  AI_API_KEY: z.string().min(1).optional(),
  AI_TRANSCRIPTION_MODEL: z.string().min(1).optional(),
  PROVIDER_TIMEOUT_MS: z.coerce.number().int().min(100).max(60_000).default(20_000),
  ALLOW_PRIVATE_HOSTS: z.enum(["true", "false"]).default("false"),
  MEDIA_FOLDER: z.string().min(1).optional(),
  MEDIA_STORAGE_URL: z.url({ protocol: /^https?$/ }).optional(),
  MEDIA_STORAGE_KEY: z.string().min(20).optional(),
  FUNCTIONS_URL: z.url({ protocol: /^https?$/ }).optional(),
  CONNECT_PAGE_URL: z.url({ protocol: /^https?$/ }).optional(),
  // `placeDocs` reads it.
  DOCS_URL: z.url({ protocol: /^https?$/ }).optional(),
});

/** The environment is incomplete or invalid. The message names variables, never their values. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Reads the environment. A missing secret is an error; no secret has a default. With `SUPABASE_URL`
 * the database is reached through the Data API, without it at `DATABASE_URL`.
 *
 * @throws {ConfigError} naming every variable that is missing or malformed, or one whose key is
 * publicly known.
 */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = environmentSchema.safeParse(present);
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => issue.path.join(".")))];
    throw new ConfigError(`Missing or malformed environment variables: ${names.join(", ")}.`);
  }
  const values = parsed.data;
  const dispatcherKeys = readSecretKeys(values.SUPABASE_SECRET_KEYS, values.SUPABASE_SECRET_KEY);
  refusePublishedKeys(dispatcherKeys, values.CREDENTIALS_KEYS);
  const secretKeys = withoutScheduleKey(dispatcherKeys);
  const database = readDatabase(values, secretKeys);
  const functionsUrl = readFunctionsUrl(values);
  return {
    database,
    secretKeys,
    dispatcherKeys,
    credentialsKeys: values.CREDENTIALS_KEYS,
    email: {
      resendApiKey: values.RESEND_API_KEY,
      resendBaseUrl: values.RESEND_BASE_URL,
      from: values.EMAIL_FROM,
    },
    chatModel: readChatModel(values),
    panelBaseUrl: withoutTrailingSlash(values.PANEL_BASE_URL),
    providerTimeoutMs: values.PROVIDER_TIMEOUT_MS,
    allowsPrivateHosts: values.ALLOW_PRIVATE_HOSTS === "true",
    media: readMedia(values, database),
    functionsUrl,
    connectPageUrl: values.CONNECT_PAGE_URL ??
      (servesHtml(functionsUrl) ? `${functionsUrl}/connect` : null),
  };
}

/** The local stack's folder; it names its own. */
const localMediaFolder = ".local/media";

/**
 * A place that is named wins. Otherwise files are where the Data API is.
 *
 * @throws {ConfigError} for two places, and for half of one.
 */
function readMedia(
  { MEDIA_FOLDER: folder, MEDIA_STORAGE_URL: url, MEDIA_STORAGE_KEY: secretKey }: z.infer<
    typeof environmentSchema
  >,
  database: DatabaseConfig,
): MediaConfig {
  if (url !== undefined || secretKey !== undefined) {
    if (url === undefined || secretKey === undefined) {
      throw new ConfigError("MEDIA_STORAGE_URL and MEDIA_STORAGE_KEY belong together: set both.");
    }
    if (folder !== undefined) {
      throw new ConfigError("Set MEDIA_FOLDER or MEDIA_STORAGE_URL, not both.");
    }
    return { kind: "supabase", url, secretKey };
  }
  if (folder !== undefined || database.kind === "direct") {
    return { kind: "folder", folder: folder ?? localMediaFolder };
  }
  return { kind: "supabase", url: database.url, secretKey: database.secretKey };
}

/** @throws {ConfigError} for a key that an earlier version of the repository contained. */
function refusePublishedKeys(
  secretKeys: Readonly<Record<string, string>>,
  credentialsKeys: string,
): void {
  if (Object.values(secretKeys).some(isPublishedSecretKey)) {
    throw new ConfigError(describePublishedKey("SUPABASE_SECRET_KEY"));
  }
  if (sealsWithPublishedKey(credentialsKeys)) {
    throw new ConfigError(describePublishedKey("CREDENTIALS_KEYS"));
  }
}

/** Requires both or neither: half a configuration would fail only when a contact writes. */
function readChatModel(
  { AI_BASE_URL: baseUrl, AI_API_KEY: apiKey, AI_TRANSCRIPTION_MODEL: transcriptionModel }: z.infer<
    typeof environmentSchema
  >,
): ChatModelConfig | null {
  if (baseUrl === undefined && apiKey === undefined) return null;
  if (baseUrl === undefined) {
    throw new ConfigError("AI_API_KEY is set, but AI_BASE_URL is missing.");
  }
  if (apiKey === undefined) throw new ConfigError("AI_BASE_URL is set, but AI_API_KEY is missing.");
  return { baseUrl, apiKey, ...(transcriptionModel === undefined ? {} : { transcriptionModel }) };
}

/** The hosted platform gives `SUPABASE_SECRET_KEYS` (JSON by name), a single machine one key. */
function readSecretKeys(
  byName: string | undefined,
  single: string | undefined,
): Record<string, string> {
  if (byName !== undefined) {
    let json: unknown;
    try {
      json = JSON.parse(byName);
    } catch {
      throw new ConfigError("SUPABASE_SECRET_KEYS is not JSON.");
    }
    const keys = secretKeysSchema.safeParse(json);
    if (keys.success && Object.keys(keys.data).length > 0) return keys.data;
    throw new ConfigError("SUPABASE_SECRET_KEYS must be a JSON object with a key per name.");
  }
  if (single === undefined) {
    throw new ConfigError("SUPABASE_SECRET_KEYS (or SUPABASE_SECRET_KEY) is missing.");
  }
  return { default: single };
}

/** The name of the schedule's own key, in `SUPABASE_SECRET_KEYS`. */
const scheduleKeyName = "cron";

/**
 * The keys but the schedule's. That one stands in the database's tables while pg_net makes a call, where
 * every role with SQL can read it, so it must open no more than the call needs.
 */
function withoutScheduleKey(
  keys: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const scheduleKey = keys[scheduleKeyName];
  const others = Object.entries(keys).filter(([name]) => name !== scheduleKeyName);
  if (others.length === 0) {
    throw new ConfigError(
      "SUPABASE_SECRET_KEYS holds only the key named cron, which opens dispatch-queue alone: add another one.",
    );
  }
  if (others.some(([, key]) => key === scheduleKey)) {
    throw new ConfigError(
      "SUPABASE_SECRET_KEYS holds the key named cron under another name too: give cron a key of its own.",
    );
  }
  return Object.fromEntries(others);
}

function readDatabase(
  {
    SUPABASE_URL: supabaseUrl,
    DATABASE_URL: databaseUrl,
    DATABASE_READ_URL: readUrl,
    PROMOTION: promotion,
  }: z.infer<typeof environmentSchema>,
  secretKeys: Readonly<Record<string, string>>,
): DatabaseConfig {
  if (supabaseUrl !== undefined) {
    if (readUrl !== undefined) {
      throw new ConfigError(
        "DATABASE_READ_URL names a standby of DATABASE_URL: beside SUPABASE_URL unset it.",
      );
    }
    const secretKey = secretKeys["default"] ?? Object.values(secretKeys)[0];
    if (secretKey === undefined) throw new ConfigError("No secret key for the Data API.");
    return { kind: "data_api", url: supabaseUrl, secretKey, promotion };
  }
  if (databaseUrl === undefined) {
    throw new ConfigError("SUPABASE_URL or DATABASE_URL is missing.");
  }
  refuseUnusableHosts(databaseUrl);
  if (readUrl !== undefined) refuseUnusableStandby(readUrl);
  return {
    ...{ kind: "direct", databaseUrl, promotion },
    ...(readUrl === undefined ? {} : { readUrl }),
  };
}

/** @throws {ConfigError} */
function refuseUnusableHosts(databaseUrl: string): void {
  try {
    readDatabaseHosts(databaseUrl);
  } catch (cause) {
    if (!(cause instanceof DatabaseHostsError)) throw cause;
    throw new ConfigError(cause.message, { cause });
  }
}

/** @throws {ConfigError} */
function refuseUnusableStandby(readUrl: string): void {
  const [, authority = ""] = /^\w+:\/\/([^/?#]*)/.exec(readUrl) ?? [];
  if (
    !authority.slice(authority.lastIndexOf("@") + 1).includes(",") &&
    !/[?&]target_session_attrs=/.test(readUrl)
  ) {
    return;
  }
  throw new ConfigError(
    "DATABASE_READ_URL names one host, a standby or a name that leads to some, without target_session_attrs.",
  );
}
