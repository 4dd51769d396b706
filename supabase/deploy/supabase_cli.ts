/** The platform's own command line tool, in the version that this repository is made for. */

const cliVersion = "3.1.0";

/** The tool ended with a failure, or with a warning that means one. */
export class SupabaseCliError extends Error {
  override readonly name = "SupabaseCliError";
}

/**
 * Runs the Supabase CLI and shows what it says.
 *
 * A warning is a failure: a missing import is no more than a WARN to it, and the function that lacks
 * it is uploaded all the same.
 *
 * @param environment beside what the process has: secrets go here, where no list of processes shows
 * them.
 * @throws {SupabaseCliError} for an exit code other than 0, and for a line with WARN.
 */
export async function runSupabaseCli(
  root: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  show: (text: string) => void = print,
): Promise<string> {
  const child = new Deno.Command("npx", {
    args: ["--yes", `supabase@${cliVersion}`, ...args],
    cwd: root,
    env: { NO_COLOR: "1", ...environment },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      show(text);
    }
  };
  const [status] = await Promise.all([child.status, read(child.stdout), read(child.stderr)]);
  const command = `supabase ${args.filter((arg) => !arg.startsWith("-")).join(" ")}`;
  if (!status.success) throw new SupabaseCliError(`${command} ended with ${status.code}.`);
  const warning = output.split("\n").find((line) => /\bWARN(?:ING)?\b/.test(line));
  if (warning !== undefined) throw new SupabaseCliError(`${command} warns: ${warning.trim()}`);
  return output;
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
