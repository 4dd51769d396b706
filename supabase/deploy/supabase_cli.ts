/** Runs the Supabase CLI in the version that this repository is tested with. */

import { join } from "node:path";
import { printText } from "../host/terminal.ts";
import { installNpmPackage } from "../tools/npm_package.ts";

const cliVersion = "3.1.0";

/** The CLI failed, or printed a warning, which means a failure. */
export class SupabaseCliError extends Error {
  override readonly name = "SupabaseCliError";
}

/**
 * Runs the Supabase CLI and shows its output.
 *
 * A warning counts as a failure: for a missing import the CLI only warns and uploads the broken function.
 *
 * @param environment variables in addition to the process's. Secrets belong here, because command lines
 * are visible in process lists.
 * @throws {SupabaseCliError} for an exit code other than 0, and for a line with WARN.
 */
export async function runSupabaseCli(
  root: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  show: (text: string) => void = print,
): Promise<string> {
  return (await run(root, args, environment, show)).output;
}

/**
 * Reads rows of a database. Its output is not shown.
 *
 * @throws {SupabaseCliError} as `runSupabaseCli`.
 */
export function querySupabase(
  root: string,
  sql: string,
  remote: string,
  environment: Readonly<Record<string, string>>,
): Promise<unknown> {
  const args = ["db", "query", sql, "--output-format=json", `--remote=${remote}`, "--yes"];
  return runSupabaseCliQuietly(root, args, environment);
}

/**
 * Runs a command that answers in JSON. Its output is not shown.
 *
 * @throws {SupabaseCliError} as `runSupabaseCli`.
 */
export async function runSupabaseCliQuietly(
  root: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<unknown> {
  let shown = "";
  try {
    return JSON.parse((await run(root, args, environment, (text) => shown += text)).result);
  } catch (error) {
    const what = error instanceof SupabaseCliError
      ? error.message
      : `supabase ${args.slice(0, 2).join(" ")}: no JSON.`;
    throw new SupabaseCliError(`${what}\n${shown}`);
  }
}

interface CliOutput {
  /** Standard output alone. */
  readonly result: string;
  /** Standard output and standard error, as they came. */
  readonly output: string;
}

async function run(
  root: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  show: (text: string) => void,
): Promise<CliOutput> {
  const child = new Deno.Command(await findSupabaseCli(), {
    args: [...args],
    cwd: root,
    env: { NO_COLOR: "1", ...environment },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>): Promise<string> => {
    let own = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      own += text;
      output += text;
      show(text);
    }
    return own;
  };
  const [status, result] = await Promise.all([
    child.status,
    read(child.stdout),
    read(child.stderr),
  ]);
  const command = `supabase ${args.slice(0, 2).join(" ")}`;
  if (!status.success) throw new SupabaseCliError(`${command} ended with ${status.code}.`);
  const warning = output.split("\n").find((line) => /\bWARN(?:ING)?\b/.test(line));
  if (warning !== undefined) throw new SupabaseCliError(`${command} warns: ${warning.trim()}`);
  return { result, output };
}

let cliPath: Promise<string> | undefined;

/**
 * The path of the CLI's program, which is installed where needed. npx takes longer than most calls, so it
 * is asked once.
 *
 * @throws {SupabaseCliError} where npm cannot install it.
 */
export function findSupabaseCli(): Promise<string> {
  return cliPath ??= installCli();
}

/** The package's script only starts the program of the platform's package, which takes a Node each time. */
async function installCli(): Promise<string> {
  const installed = await installNpmPackage(`supabase@${cliVersion}`);
  if ("failure" in installed) {
    throw new SupabaseCliError(
      `npx could not install supabase@${cliVersion}:\n${installed.failure}`,
    );
  }
  const platform = `${Deno.build.os}-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}`;
  const program = join(installed.folder, `../@supabase/cli-${platform}/bin/supabase`);
  const isThere = await Deno.stat(program).then(() => true, () => false);
  return isThere ? program : join(installed.folder, "supabase");
}

function print(text: string): void {
  printText(Deno.stdout, text);
}
