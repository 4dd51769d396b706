/** Where the stack of a data folder runs: it says so in a file, so that `deno task admin` finds it. */
import { join } from "node:path";
import * as z from "zod";

const fileSchema = z.object({ origin: z.url() });

/** Only a stack that hangs needs it. */
const answerTimeoutMs = 2_000;

function locateFile(dataDir: string): string {
  return join(dataDir, "running.json");
}

/** Origin of the stack that runs on this data folder; null where none has said so. */
export async function readRunningStack(dataDir: string): Promise<string | null> {
  try {
    const { origin } = fileSchema.parse(JSON.parse(await Deno.readTextFile(locateFile(dataDir))));
    return origin;
  } catch {
    return null;
  }
}

/**
 * Says where the stack runs, until the returned function is called. Leaves alone what another stack
 * says that answers: this one is about to be refused. A folder that cannot be written is reported by
 * whatever needs it.
 */
export async function announceStack(dataDir: string, origin: string): Promise<() => Promise<void>> {
  const other = await readRunningStack(dataDir);
  if (other !== null && other !== origin && await answers(other)) return () => Promise.resolve();
  try {
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(locateFile(dataDir), `${JSON.stringify({ origin })}\n`, {
      mode: 0o600,
    });
  } catch {
    return () => Promise.resolve();
  }
  return async () => {
    if (await readRunningStack(dataDir) === origin) {
      await Deno.remove(locateFile(dataDir)).catch(() => {});
    }
  };
}

async function answers(origin: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const response = await fetch(`${origin}/health`, { signal });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
