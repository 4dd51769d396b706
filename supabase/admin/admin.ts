/** `deno task admin`: admin-api from the command line. `--help` lists the commands. */

import { resolveDataDir } from "../local/settings.ts";
import { findSecretKey } from "./admin_key.ts";
import { AdminApiError, openAdminApi, openBatchReader } from "./admin_api.ts";
import { runAdminCommand } from "./commands.ts";
import { findLocalStack, untilStarted } from "./local_stack.ts";

// Treats an empty variable as absent.
const environment = Deno.env.toObject();
const dataDir = resolveDataDir(environment);
const givenUrl = environment["API_URL"] || environment["SUPABASE_URL"];
const apiUrl = (givenUrl || await findLocalStack(dataDir, environment["PORT"])).replace(/\/+$/, "");

/** The stack writes its keys while it starts, so it is waited for first. */
async function readSecretKey(): Promise<string> {
  if (!givenUrl) await untilStarted(apiUrl, (sentence) => write(Deno.stderr, sentence));
  return await findSecretKey(environment["SUPABASE_SECRET_KEY"], apiUrl, dataDir);
}

/** A reader that closes the pipe early (`| head`) is not an error. */
function write(stream: typeof Deno.stdout | typeof Deno.stderr, text: string): void {
  try {
    stream.writeSync(new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** Makes the folder, where it is not there. */
async function writeFile(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function listFolder(path: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(path)).catch(() => {
    throw new AdminApiError(`The folder ${path} cannot be read.`);
  });
  return entries.filter(({ isFile }) => isFile).map(({ name }) => name);
}

Deno.exit(
  await runAdminCommand({
    api: openAdminApi(apiUrl, readSecretKey),
    print: (text) => write(Deno.stdout, text),
    printError: (text) => write(Deno.stderr, text),
    readFile: (path) => Deno.readTextFile(path),
    writeFile,
    listFolder,
    isTerminal: Deno.stdout.isTerminal(),
    columns: () => Deno.consoleSize().columns,
    ...(environment["CLIENT_TOKEN"]
      ? { readBatch: openBatchReader(apiUrl, environment["CLIENT_TOKEN"]) }
      : {}),
    readStdin: () => new Response(Deno.stdin.readable).text(),
  }, Deno.args),
);
