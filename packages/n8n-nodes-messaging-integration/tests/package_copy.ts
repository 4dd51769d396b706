/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
/** A copy of the package without what building leaves behind. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("..", import.meta.url));
const left = ["node_modules", "dist"];

/** Copies the package's source into a folder, which may not exist yet. */
export async function copyPackage(target: string, from = source): Promise<void> {
  await Deno.mkdir(target, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (left.includes(name)) continue;
    if (isDirectory) await copyPackage(join(target, name), join(from, name));
    else await Deno.copyFile(join(from, name), join(target, name));
  }
}

/** Runs a program. @returns what it prints. @throws {Error} with its output when it fails. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", npm_config_update_notifier: "false", ...env },
    stdin: "null",
  }).output();
  const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`${program} ${args.join(" ")}:\n${text}\n${errors}`);
  return text ?? "";
}
