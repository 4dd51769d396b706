import { ConfigError, parseConfig } from "../../shared/runtime/config.ts";
import { StartError } from "../host/start_error.ts";

/** What `deno task serve` runs with. */
export interface ServeSettings {
  readonly port: number;
  /** Address to listen at: `0.0.0.0` for every network of the machine. */
  readonly hostname: string;
  readonly databaseUrl: string;
  /** Each opens the console; the first opens dispatch-queue, for the scheduler. */
  readonly secretKeys: readonly [string, ...string[]];
  /** Environment of the functions, complete. */
  readonly functionEnvironment: Readonly<Record<string, string>>;
}

/** Default port of the service, as of the local stack. */
const defaultPort = 54_321;

/** What the service does not start without, and how to get it. */
const required: readonly (readonly [name: string, advice: string])[] = [
  ["DATABASE_URL", "a Postgres 17: postgres://user:password@host:5432/database"],
  [
    "SUPABASE_SECRET_KEY",
    'opens admin-api, dispatch-queue and metrics. Make one: echo "sb_secret_$(openssl rand -hex 32)"',
  ],
  [
    "CREDENTIALS_KEYS",
    "seals the providers' credentials; without it they are lost. Make one: openssl rand -base64 32",
  ],
  [
    "FUNCTIONS_URL",
    "where clients and providers reach the functions: https://api.example.com/functions/v1",
  ],
  ["RESEND_API_KEY", "the key of the mail service (resend.com) for e-mails to operators"],
  ["EMAIL_FROM", "their sender: Atendimento <atendimento@example.com>"],
  ["PANEL_BASE_URL", "the operators' panel, to which they link: https://panel.example.com"],
];

/** Variables without which the functions do. */
const optional = [
  "SUPABASE_SECRET_KEYS",
  "RESEND_BASE_URL",
  "PROVIDER_TIMEOUT_MS",
  "DATABASE_READ_URL",
  "PROMOTION",
  "ALLOW_PRIVATE_HOSTS",
  "AI_BASE_URL",
  "AI_API_KEY",
  "AI_TRANSCRIPTION_MODEL",
  "API_DOCS_VIEWER_URL",
  "API_REFERENCE_URL",
  "CONNECT_PAGE_URL",
  "DOCS_URL",
  "MEDIA_FOLDER",
  "MEDIA_STORAGE_URL",
  "MEDIA_STORAGE_KEY",
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the environment of a service. Nothing secret has a default.
 *
 * @throws {StartError} naming every variable that is missing, with how to get it, or one that is
 * malformed. Never with a value.
 */
export function readServeSettings(environment: Environment): ServeSettings {
  refuseMissing(environment);
  refuseDataApi(environment);
  const port = Number(environment["PORT"] || defaultPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new StartError("PORT must be a number from 1 to 65535.");
  }
  const names = [...required.map(([name]) => name), ...optional];
  const functionEnvironment = Object.fromEntries(
    names.flatMap((name) => environment[name] ? [[name, environment[name]]] : []),
  );
  const { secretKeys } = checkConfig(functionEnvironment);
  return {
    port,
    hostname: environment["HOST"] || "127.0.0.1",
    databaseUrl: readDatabaseUrl(environment),
    secretKeys: orderKeys(secretKeys),
    functionEnvironment,
  };
}

/** `default` first, as everywhere. `parseConfig` refuses to find none. */
function orderKeys(
  { default: main, ...others }: Readonly<Record<string, string>>,
): [string, ...string[]] {
  const [first = "", ...more] = [...(main === undefined ? [] : [main]), ...Object.values(others)];
  return [first, ...more];
}

/** The only variable of `migrate`. @throws {StartError} */
export function readDatabaseUrl(environment: Environment): string {
  const url = environment["DATABASE_URL"];
  if (url) return url;
  throw new StartError("DATABASE_URL is missing: postgres://user:password@host:5432/database");
}

function refuseMissing(environment: Environment): void {
  const isPresent = (name: string): boolean => Boolean(environment[name]);
  const missing = required.filter(([name]) =>
    !isPresent(name) && !(name === "SUPABASE_SECRET_KEY" && isPresent("SUPABASE_SECRET_KEYS"))
  ).map(([name, advice]) => `${name}: ${advice}`);
  if (!isPresent("MEDIA_FOLDER") && !isPresent("MEDIA_STORAGE_URL")) {
    missing.push(
      "MEDIA_FOLDER: the folder of messages' files; or MEDIA_STORAGE_URL and MEDIA_STORAGE_KEY: a Supabase project whose Storage has them",
    );
  }
  if (missing.length === 0) return;
  throw new StartError(
    `The service does not start without:\n  ${
      missing.join("\n  ")
    }\nKeep the keys: a service that starts with others opens none of what it has stored.`,
  );
}

function refuseDataApi(environment: Environment): void {
  if (!environment["SUPABASE_URL"]) return;
  throw new StartError(
    "SUPABASE_URL is set, but this service reaches its database at DATABASE_URL: unset it. For files in Supabase Storage set MEDIA_STORAGE_URL and MEDIA_STORAGE_KEY.",
  );
}

/** As the functions will read it, before anything is started. */
function checkConfig(
  environment: Readonly<Record<string, string>>,
): ReturnType<typeof parseConfig> {
  try {
    return parseConfig(environment);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    throw new StartError(cause.message, { cause });
  }
}
