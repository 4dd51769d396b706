/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
/** n8n itself, from the registry, with the packed nodes installed as a community package. */

import { join } from "node:path";
import { findFreePort } from "../../../tests/support/free_port.ts";
import { waitUntil } from "../../../tests/support/wait_until.ts";
import { copyPackage, run } from "./package_copy.ts";

export const nodeVersion = "24.21.0";
/** The newest whose packages the registry has all of. */
export const n8nVersion = "2.41.1";

/** A folder with Node, n8n, and the tools of the package. `deno task test:n8n` fills it. */
export interface N8nFolder {
  readonly path: string;
}

/** n8n with a database and a home of its own. */
export interface N8n extends AsyncDisposable {
  /** Runs a command of n8n's, such as `execute`. @returns its output. */
  command(...args: string[]): Promise<string>;
  /** Starts the server; others reach its webhooks at `webhookUrl`. */
  serve(address: { port: number; webhookUrl: string }): Promise<N8nServer>;
  readonly home: string;
}

export interface N8nServer extends AsyncDisposable {
  readonly origin: string;
}

/** Paths of what an N8nFolder holds. */
export function programsOf(folder: string): { node: string; n8n: string; tools: string } {
  return {
    node: join(folder, "node/node_modules/node/bin/node"),
    n8n: join(folder, "n8n/node_modules/n8n/bin/n8n"),
    tools: join(folder, "tools/node_modules"),
  };
}

/** Builds and packs the nodes with n8n's own tool. @returns the archive, and what the linter says. */
export async function packNodes(
  folder: string,
  target: string,
): Promise<{ folder: string; archive: string; lint: string }> {
  const { node, tools } = programsOf(folder);
  await copyPackage(target);
  await Deno.symlink(tools, join(target, "node_modules"));
  const PATH = `${join(node, "..")}:${Deno.env.get("PATH")}`;
  const tool = join(tools, ".bin/n8n-node");
  await run(tool, ["build"], target, { PATH });
  const lint = await run(tool, ["lint"], target, { PATH });
  await Deno.remove(join(target, "node_modules"));
  const [packed] = JSON.parse(
    await run("npm", ["pack", "--json", "--silent", "--ignore-scripts"], target),
  );
  return { folder: target, archive: join(target, packed.filename), lint };
}

/** Installs the archive where n8n keeps community nodes. */
export async function openN8n(
  { folder, archive, home, databaseUrl }: {
    folder: string;
    archive: string;
    home: string;
    databaseUrl: string;
  },
): Promise<N8n> {
  const { node, n8n } = programsOf(folder);
  const nodes = join(home, ".n8n/nodes");
  await Deno.mkdir(nodes, { recursive: true });
  await Deno.writeTextFile(join(nodes, "package.json"), `{"private":true}`);
  const flags = ["--no-audit", "--no-fund", "--legacy-peer-deps", "--ignore-scripts"];
  await run("npm", ["install", ...flags, archive], nodes);
  const environment = {
    ...environmentOf(home, databaseUrl),
    PATH: `${join(node, "..")}:/usr/bin:/bin`,
  };
  return {
    home,
    command: async (...args) => {
      // n8n ends before a pipe has taken all that it prints; a file takes it at once.
      const output = join(home, "output.txt");
      const line = 'exec "$@" > "$OUTPUT"';
      const program = [node, n8n, ...args];
      try {
        await run("sh", ["-c", line, "sh", ...program], home, { ...environment, OUTPUT: output });
      } catch (error) {
        throw new Error(`${error}\n${await Deno.readTextFile(output)}`);
      }
      return await Deno.readTextFile(output);
    },
    serve: ({ port, webhookUrl }) =>
      startServer([node, n8n], home, { ...environment, ...addressOf(port, webhookUrl) }),
    [Symbol.asyncDispose]: async () => {},
  };
}

function environmentOf(home: string, databaseUrl: string): Record<string, string> {
  const database = new URL(databaseUrl);
  return {
    HOME: home,
    N8N_USER_FOLDER: home,
    N8N_ENCRYPTION_KEY: "the key of a test",
    DB_TYPE: "postgresdb",
    DB_POSTGRESDB_HOST: database.hostname,
    DB_POSTGRESDB_PORT: database.port,
    DB_POSTGRESDB_DATABASE: database.pathname.slice(1),
    DB_POSTGRESDB_USER: decodeURIComponent(database.username),
    DB_POSTGRESDB_PASSWORD: decodeURIComponent(database.password),
    // Beside what is tested, in the same database.
    DB_POSTGRESDB_SCHEMA: "n8n",
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_TEMPLATES_ENABLED: "false",
    N8N_COMMUNITY_PACKAGES_REGISTRY: "http://127.0.0.1:9",
    // The results of an execution are lines of its log.
    N8N_LOG_LEVEL: "info",
    NO_COLOR: "1",
  };
}

function addressOf(port: number, webhookUrl: string): Record<string, string> {
  return {
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: "127.0.0.1",
    WEBHOOK_URL: `${webhookUrl}/`,
    N8N_RUNNERS_BROKER_PORT: String(findFreePort()),
  };
}

async function startServer(
  [program = "", n8n = ""]: string[],
  cwd: string,
  env: Record<string, string>,
): Promise<N8nServer> {
  const child = new Deno.Command(program, {
    args: [n8n, "start"],
    cwd,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  });
  const ended = Promise.all([child.status, ...reading]);
  let hasEnded = false;
  child.status.then(() => hasEnded = true);
  const origin = `http://127.0.0.1:${env["N8N_PORT"]}`;
  const server: N8nServer = {
    origin,
    [Symbol.asyncDispose]: async () => {
      if (!hasEnded) child.kill("SIGTERM");
      await ended;
    },
  };
  try {
    const state = await waitUntil(async () => {
      if (hasEnded) return "ended";
      const answer = await fetch(`${origin}/healthz/readiness`).catch(() => undefined);
      await answer?.body?.cancel();
      return answer?.ok === true ? "ready" : false;
    }, { what: "n8n to be ready", timeoutMs: 240_000 });
    if (state === "ended") throw new Error("n8n has ended before it was ready");
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw new Error(`${error}: ${text}`);
  }
  return server;
}
