/**
 * The keys of one local stack, generated at its first start and stored in its data folder. A key in the
 * repository would open every developer's stack to every web page.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { StartError } from "../host/start_error.ts";

/** Content of `keys.json`. */
const keysSchema = z.object({
  /** Opens admin-api and dispatch-queue: `SUPABASE_SECRET_KEY` of the functions. */
  secretKey: z.string().min(20),
  /** Seals the providers' credentials: `CREDENTIALS_KEYS` of the functions. */
  credentialsKeys: z.string().min(44),
});
export type StackKeys = z.infer<typeof keysSchema>;

/** Path of the stack's key file. */
export function locateStackKeys(dataDir: string): string {
  return join(dataDir, "keys.json");
}

/**
 * Reads the keys in the data folder.
 *
 * @returns null where no stack has generated any yet.
 * @throws {StartError} when the file cannot be read or is malformed.
 */
export async function readStackKeys(dataDir: string): Promise<StackKeys | null> {
  const path = locateStackKeys(dataDir);
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return null;
    throw new StartError(`The keys of the local stack in ${path} cannot be read.`, { cause });
  }
  const keys = keysSchema.safeParse(parseJson(text));
  if (keys.success) return keys.data;
  // New keys are not generated here: credentials sealed under the lost key could not be opened.
  throw new StartError(
    `${path} does not hold the keys of a local stack: put the file back, or remove it to generate new keys; stored provider credentials must then be entered again.`,
  );
}

/**
 * Reads the keys in the data folder, and generates them on first use. Only the owner can read the file.
 *
 * @throws {StartError} when the folder cannot be written or the file is malformed.
 */
export async function storeStackKeys(dataDir: string): Promise<StackKeys> {
  const kept = await readStackKeys(dataDir);
  if (kept !== null) return kept;
  try {
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeOnce(locateStackKeys(dataDir), JSON.stringify(generateKeys(), null, 2) + "\n");
  } catch (cause) {
    throw new StartError(
      `The keys of the local stack cannot be written to ${dataDir}: choose another folder with DATA_DIR.`,
      { cause },
    );
  }
  return await storeStackKeys(dataDir);
}

function generateKeys(): StackKeys {
  return {
    secretKey: `sb_secret_${randomBytes(32).toString("base64url")}`,
    credentialsKeys: randomBytes(32).toString("base64"),
  };
}

/** Writes the file atomically and never overwrites one: two stacks may start on one folder at once. */
async function writeOnce(path: string, text: string): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(draft, text, { mode: 0o600, createNew: true });
  try {
    await Deno.link(draft, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    await Deno.remove(draft);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
