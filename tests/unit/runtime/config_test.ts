import { type Config, ConfigError, parseConfig } from "../../../shared/runtime/config.ts";
import { assert, assertEquals, assertFalse, assertThrows } from "../../support/assert.ts";

const environment = {
  DATABASE_URL: "postgresql://user@127.0.0.1:5432/db",
  SUPABASE_SECRET_KEY: "sb_secret_0123456789abcdef",
  CREDENTIALS_KEYS: btoa("k".repeat(32)),
  RESEND_API_KEY: "re_secret",
  EMAIL_FROM: "API <api@example.com>",
  PANEL_BASE_URL: "https://panel.example.com//",
  AI_BASE_URL: "https://models.example.com/v1",
  AI_API_KEY: "sk-secret",
};

Deno.test("a complete environment is read, with its defaults", () => {
  const config = parseConfig(environment);
  assertEquals(config.database, {
    kind: "direct",
    databaseUrl: environment.DATABASE_URL,
    promotion: "hold",
  });
  assertEquals(config.secretKeys, { default: environment.SUPABASE_SECRET_KEY });
  assertEquals(config.panelBaseUrl, "https://panel.example.com");
  assertEquals(config.providerTimeoutMs, 20_000);
});

Deno.test("a standby to read from is one host, beside DATABASE_URL", () => {
  const parse = (readUrl: string, more = {}): Config =>
    parseConfig({ ...environment, DATABASE_READ_URL: readUrl, ...more });
  const { database } = parse("postgres://user:a,b@db2:5432/db");
  assertEquals(
    database.kind === "direct" && database.readUrl,
    "postgres://user:a,b@db2:5432/db",
  );
  for (const readUrl of ["postgres://db2,db3/db", "postgres://db2/db?target_session_attrs=any"]) {
    assertThrows(() => parse(readUrl), ConfigError, "DATABASE_READ_URL names one host");
  }
  assertThrows(
    () => parse("postgres://db2/db", { SUPABASE_URL: "https://x.supabase.co" }),
    ConfigError,
    "beside SUPABASE_URL unset it",
  );
});

Deno.test("SUPABASE_URL selects the Data API, with the default secret key", () => {
  const config = parseConfig({
    ...environment,
    SUPABASE_URL: "https://x.supabase.co",
    SUPABASE_SECRET_KEYS: JSON.stringify({
      cron: "sb_secret_cron_0123456789",
      default: "sb_secret_main_0123456789",
    }),
  });
  assertEquals(config.database, {
    kind: "data_api",
    url: "https://x.supabase.co",
    secretKey: "sb_secret_main_0123456789",
    promotion: "hold",
  });
});

Deno.test("the secret key named cron opens the dispatcher alone, and the Data API is not called with it", () => {
  const parse = (keys: Record<string, string>): Config =>
    parseConfig({
      ...environment,
      SUPABASE_URL: "https://x.supabase.co",
      SUPABASE_SECRET_KEYS: JSON.stringify(keys),
    });
  const cron = "sb_secret_cron_0123456789";
  const main = "sb_secret_main_0123456789";
  const config = parse({ cron, main });
  assertEquals(config.secretKeys, { main });
  assertEquals(config.dispatcherKeys, { cron, main });
  assertEquals(config.database.kind === "data_api" && config.database.secretKey, main);
  const withoutCron = parse({ main });
  assertEquals(withoutCron.dispatcherKeys, withoutCron.secretKeys);
  for (const keys of [{ cron }, { cron, main: cron }] as Record<string, string>[]) {
    const error = assertThrows(() => parse(keys), ConfigError);
    assert(error.message.includes("named cron"), error.message);
    assertFalse(error.message.includes(cron));
  }
});

Deno.test("a missing, empty or malformed variable is named in the error, without its value", () => {
  for (const name of Object.keys(environment).filter((name) => !name.startsWith("AI_"))) {
    for (const value of [undefined, ""]) {
      const error = assertThrows(() => parseConfig({ ...environment, [name]: value }), ConfigError);
      assert(error.message.includes(name), `${name}: ${error.message}`);
    }
  }
  const malformed = {
    SUPABASE_SECRET_KEYS: "{secret",
    SUPABASE_SECRET_KEY: "short",
    PANEL_BASE_URL: "nowhere",
    DATABASE_URL: "mysql://secret",
    PROVIDER_TIMEOUT_MS: "soon",
    CREDENTIALS_KEYS: "short",
  };
  for (const [name, value] of Object.entries(malformed)) {
    const error = assertThrows(() => parseConfig({ ...environment, [name]: value }), ConfigError);
    assert(error.message.includes(name), `${name}: ${error.message}`);
    assertFalse(error.message.includes(value), name);
  }
  assertThrows(
    () => parseConfig({ ...environment, SUPABASE_SECRET_KEYS: "{}" }),
    ConfigError,
  );
});

Deno.test("a published key is refused for either kind of database", () => {
  const published = {
    secret: "sb_secret_local_stack_only_0000000000000000",
    credentials: "bG9jYWwtc3RhY2stb25seS1jcmVkZW50aWFscy1rZXk=",
  };
  const own = environment.CREDENTIALS_KEYS;
  for (const database of [{}, { SUPABASE_URL: "https://x.supabase.co" }]) {
    for (
      const [variable, variables] of [
        ["SUPABASE_SECRET_KEY", { SUPABASE_SECRET_KEY: published.secret }],
        ["SUPABASE_SECRET_KEY", {
          SUPABASE_SECRET_KEYS: JSON.stringify({ default: own, cron: published.secret }),
        }],
        ["CREDENTIALS_KEYS", { CREDENTIALS_KEYS: published.credentials }],
        ["CREDENTIALS_KEYS", { CREDENTIALS_KEYS: ` ${published.credentials} , ${own}` }],
      ] as const
    ) {
      const error = assertThrows(
        () => parseConfig({ ...environment, ...database, ...variables }),
        ConfigError,
        "earlier versions of this repository published",
      );
      assert(error.message.startsWith(variable));
    }
  }
  // A published key may still open credentials until everything is resealed.
  parseConfig({ ...environment, CREDENTIALS_KEYS: `${own},${published.credentials}` });
});

Deno.test("files lie in MEDIA_FOLDER, or in the Storage of MEDIA_STORAGE_URL beside a database of its own", () => {
  const storage = {
    MEDIA_STORAGE_URL: "https://x.supabase.co",
    MEDIA_STORAGE_KEY: "sb_secret_files_0123456789",
  };
  const folder = { MEDIA_FOLDER: "/srv/media" };
  assertEquals(parseConfig({ ...environment, ...folder }).media, {
    kind: "folder",
    folder: "/srv/media",
  });
  const config = parseConfig({ ...environment, ...storage });
  assertEquals(config.media, {
    kind: "supabase",
    url: storage.MEDIA_STORAGE_URL,
    secretKey: storage.MEDIA_STORAGE_KEY,
  });
  assertEquals(config.database.kind, "direct");
  const half = { ...environment, MEDIA_STORAGE_URL: storage.MEDIA_STORAGE_URL };
  assertThrows(() => parseConfig(half), ConfigError, "set both");
  assertThrows(
    () => parseConfig({ ...environment, ...storage, ...folder }),
    ConfigError,
    "not both",
  );
});
