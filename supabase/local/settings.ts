import { resolve } from "node:path";
import {
  describePublishedKey,
  isPublishedSecretKey,
  sealsWithPublishedKey,
} from "../../shared/runtime/published_keys.ts";
import { apiDocsViewerPath } from "./api_docs_viewer.ts";
import { StartError } from "../host/start_error.ts";

/** Settings of the local stack, from its environment, with defaults for a developer's machine. */
export interface StackSettings {
  readonly port: number;
  /** Absolute path of the folder with the embedded database, the stack's keys and the demo's token. */
  readonly dataDir: string;
  /** A Postgres to use instead of the embedded one. */
  readonly databaseUrl: string | undefined;
  /** Whether the functions reach the database through the Data API (supabase-js) or directly. */
  readonly usesDataApi: boolean;
  /** Undefined: the key in the data folder is used. */
  readonly secretKey: string | undefined;
  /** Undefined: the keys in the data folder are used. */
  readonly credentialsKeys: string | undefined;
  /** Environment of the functions, without the database's address and the keys. */
  readonly functionEnvironment: Readonly<Record<string, string>>;
}

/** Default port of the stack. */
export const defaultPort = 54_321;

/** Variables without a default that are passed on to the functions when set. */
const optionalVariables = [
  "PROVIDER_TIMEOUT_MS",
  "PROMOTION",
  "AI_TRANSCRIPTION_MODEL",
  "CONNECT_PAGE_URL",
  "DOCS_URL",
];

/**
 * Reads the environment and the command line (`--data-api`).
 *
 * @throws {StartError} for an invalid value or argument.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): StackSettings {
  const read = (name: string, fallback: string): string => environment[name] || fallback;
  const port = Number(read("PORT", `${defaultPort}`));
  const unknown = args.filter((arg) => arg !== "--data-api");
  if (unknown.length > 0) {
    throw new StartError(
      `Unknown argument: ${unknown.join(" ")}. The only option is --data-api.`,
    );
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new StartError("PORT must be a number from 1 to 65535.");
  }
  const origin = originOf(port);
  const secretKey = environment["SUPABASE_SECRET_KEY"] || undefined;
  const credentialsKeys = environment["CREDENTIALS_KEYS"] || undefined;
  refusePublishedKeys(secretKey, credentialsKeys);
  return {
    port,
    dataDir: resolveDataDir(environment),
    databaseUrl: environment["DATABASE_URL"] || undefined,
    usesDataApi: args.includes("--data-api"),
    secretKey,
    credentialsKeys,
    functionEnvironment: {
      RESEND_API_KEY: read("RESEND_API_KEY", "re_local_stack_only"),
      RESEND_BASE_URL: read("RESEND_BASE_URL", `${origin}/simulator/resend`),
      EMAIL_FROM: read("EMAIL_FROM", "Atendimento <atendimento@example.com>"),
      AI_BASE_URL: read("AI_BASE_URL", `${origin}/simulator/ai/v1`),
      AI_API_KEY: read("AI_API_KEY", "sk-local-stack-only"),
      FUNCTIONS_URL: read("FUNCTIONS_URL", `${origin}/functions/v1`),
      MEDIA_FOLDER: read("MEDIA_FOLDER", `${resolveDataDir(environment)}/media`),
      PANEL_BASE_URL: read("PANEL_BASE_URL", "https://panel.example.com"),
      // Receivers of webhooks run on the developer's machine.
      ALLOW_PRIVATE_HOSTS: read("ALLOW_PRIVATE_HOSTS", "true"),
      API_DOCS_VIEWER_URL: read("API_DOCS_VIEWER_URL", `${origin}${apiDocsViewerPath}`),
      ...Object.fromEntries(
        optionalVariables.flatMap((name) => environment[name] ? [[name, environment[name]]] : []),
      ),
    },
  };
}

/** Checked here too, before a database is created or changed. */
function refusePublishedKeys(
  secretKey: string | undefined,
  credentialsKeys: string | undefined,
): void {
  if (secretKey !== undefined && isPublishedSecretKey(secretKey)) {
    throw new StartError(describePublishedKey("SUPABASE_SECRET_KEY"));
  }
  if (credentialsKeys !== undefined && sealsWithPublishedKey(credentialsKeys)) {
    throw new StartError(describePublishedKey("CREDENTIALS_KEYS"));
  }
}

/** Absolute path of the data folder. */
export function resolveDataDir(environment: Readonly<Record<string, string | undefined>>): string {
  return resolve(environment["DATA_DIR"] || ".local");
}

/** Origin of a stack on this port. */
export function originOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}
