import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { startThrowawayPostgres } from "../../supabase/local/throwaway_postgres.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { findFreePort } from "../support/free_port.ts";
import {
  environment as functionEnvironment,
  secretKey,
} from "../support/stack/function_process.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** `nobody`, who owns nothing of the image. */
const stranger = Deno.uid() === 0 ? { uid: 65_534, gid: 65_534 } : {};

interface Step {
  readonly word: string;
  readonly rest: string;
}

/** What the image is, in a folder of this machine: its root folders lead there. */
interface Image {
  readonly folder: string;
  readonly environment: Record<string, string>;
  entrypoint: string[];
  user: string;
}

Deno.test("the steps of the Dockerfile, as they stand in it, make a service that needs no root and writes nothing but files", async () => {
  await using folder = await makeTemporaryFolder();
  const image = await build(join(folder.path, "image"));
  assertEquals(image.user, "node");
  await using server = await startThrowawayPostgres();
  const databaseUrl = await createOwner(server.databaseUrl);
  const migrated = await run(image, ["migrate"], { DATABASE_URL: databaseUrl }).output();
  assert(migrated.success, new TextDecoder().decode(migrated.stderr));

  const port = findFreePort();
  const before = await listTimes(join(image.folder, "app"));
  const child = run(image, ["--processes", "2"], {
    ...functionEnvironment,
    DATABASE_URL: databaseUrl,
    FUNCTIONS_URL: "https://api.example.com/functions/v1",
    HOST: "127.0.0.1",
    PORT: `${port}`,
  }).spawn();
  const output = Promise.all(
    [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
  );
  try {
    await waitUntil(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
      await response.body?.cancel();
      return response.ok;
    }, { timeoutMs: 300_000, what: "a ready service of the image" });
    const created = await fetch(`http://127.0.0.1:${port}/functions/v1/admin-api/workspaces`, {
      method: "POST",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify({ name: "Empresa" }),
    });
    assertEquals(created.status, 201, await created.text());
  } finally {
    child.kill("SIGTERM");
    const [status, printed] = [await child.status, await output];
    assertEquals(status.code, 0, printed.join("\n"));
  }
  assertEquals(await listTimes(join(image.folder, "app")), before, "the file system is read-only");
});

async function build(folder: string): Promise<Image> {
  await Deno.mkdir(join(folder, "app"), { recursive: true, mode: 0o755 });
  const image: Image = {
    folder,
    environment: {
      PATH: `${folder}/npm/bin:${Deno.env.get("PATH")}`,
      HOME: folder,
      npm_config_prefix: `${folder}/npm`,
      ...readProxy(),
    },
    entrypoint: [],
    user: "root",
  };
  for (const step of readSteps(await Deno.readTextFile(join(root, "Dockerfile")))) {
    await execute(step, image);
  }
  return image;
}

function readSteps(text: string): Step[] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
    const [, word = "", rest = ""] = /^(\S+) (.*)$/.exec(line) ?? [];
    return { word, rest };
  });
}

async function execute({ word, rest }: Step, image: Image): Promise<void> {
  if (word === "COPY") return await copy(rest.split(" "), image);
  if (word === "RUN") return await runStep(rest, image);
  if (word === "ENV") {
    for (const [, name = "", value = ""] of rest.matchAll(/(\S+)=(\S+)/g)) {
      image.environment[name] = within(value, image);
    }
  }
  if (word === "USER") image.user = rest;
  if (word === "ENTRYPOINT") image.entrypoint = JSON.parse(rest);
  if (word === "WORKDIR") assertEquals(rest, "/app");
}

async function copy(paths: readonly string[], image: Image): Promise<void> {
  const sources = paths.slice(0, -1);
  const target = join(image.folder, "app", paths.at(-1) ?? "");
  await Deno.mkdir(paths.at(-1) === "./" ? target : dirname(target), { recursive: true });
  const { success } = await new Deno.Command("cp", {
    args: ["-RP", ...sources.map((source) => join(root, source)), target],
  }).output();
  assert(success, `COPY ${paths.join(" ")}`);
}

async function runStep(command: string, image: Image): Promise<void> {
  // The user of the base image, whom this machine does not have.
  const here = within(command, image).replace("chown node:node", "chmod 777");
  const { success, stderr } = await new Deno.Command("sh", {
    args: ["-c", here],
    cwd: join(image.folder, "app"),
    clearEnv: true,
    env: image.environment,
  }).output();
  assert(success, `RUN ${command}: ${new TextDecoder().decode(stderr)}`);
}

/** A folder of the image, as this machine names it. */
function within(text: string, { folder }: Image): string {
  return text.replaceAll(/(^|\s)\/(app|media)\b/g, `$1${folder}/$2`);
}

/** Starts the entry point as a user that may write nothing below `/app`. */
function run(
  image: Image,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Deno.Command {
  const [program = "", ...own] = image.entrypoint;
  return new Deno.Command(program === "deno" ? join(image.folder, "npm/bin/deno") : program, {
    args: [...own, ...args],
    cwd: join(image.folder, "app"),
    clearEnv: true,
    env: { ...image.environment, ...environment },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...stranger,
  });
}

/** The role and the database of docs/one-machine.md: no superuser. @returns its address. */
async function createOwner(serverUrl: string): Promise<string> {
  const sql = postgres(serverUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe("create role service_role nologin noinherit bypassrls");
    await sql.unsafe("create role messaging login createrole password 'of-a-test'");
    await sql.unsafe("grant service_role to messaging with admin option");
    await sql.unsafe("create database messaging owner messaging");
  } finally {
    await sql.end();
  }
  const url = new URL(serverUrl);
  [url.username, url.password, url.pathname] = ["messaging", "of-a-test", "/messaging"];
  return url.href;
}

/** Path and time of change of every file; what is written anew shows. */
async function listTimes(folder: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("find", {
    args: [folder, "-type", "f", "-printf", "%p %T@\n"],
  }).output();
  return new TextDecoder().decode(stdout).split("\n").sort();
}

function readProxy(): Record<string, string> {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "DENO_TLS_CA_STORE", "DENO_CERT"];
  return Object.fromEntries(
    [...names, ...names.map((name) => name.toLowerCase()), "NODE_EXTRA_CA_CERTS"].flatMap(
      (name) => {
        const value = Deno.env.get(name);
        return value === undefined ? [] : [[name, value]];
      },
    ),
  );
}
