/** The package as a user gets it: packed, and installed into a folder of its own. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("..", import.meta.url));
/** What is neither part of the package's source nor fresh. */
const left = ["node_modules", "dist", "tests"];

/** A folder in which the packed client is installed. Disposing removes it. */
export interface InstalledClient extends AsyncDisposable {
  readonly folder: string;
  /** The files of the package, relative to it. */
  readonly files: readonly string[];
  /** Path of the TypeScript that has built it. */
  readonly compiler: string;
}

/** Builds and packs a copy of the source, and installs the archive. */
export async function installPackedClient(): Promise<InstalledClient> {
  const folder = await Deno.makeTempDir({ prefix: "packed-client-" });
  const copy = join(folder, "source");
  const user = join(folder, "user");
  await copyFolder(source, copy);
  await Deno.mkdir(user);
  await run("npm", ["ci", "--no-audit", "--no-fund"], copy);
  const [packed] = JSON.parse(await run("npm", ["pack", "--json", "--silent"], copy));
  const manifest = { name: "user", version: "1.0.0", private: true, type: "module" };
  await Deno.writeTextFile(join(user, "package.json"), JSON.stringify(manifest));
  await run("npm", ["install", "--no-audit", "--no-fund", join(copy, packed.filename)], user);
  return {
    folder: user,
    files: packed.files.map(({ path }: { path: string }) => path),
    compiler: join(copy, "node_modules/typescript/bin/tsc"),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (left.includes(name)) continue;
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

/** Runs a program. @returns what it prints. @throws {Error} with its output when it fails. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", npm_config_update_notifier: "false" },
    stdin: "null",
  }).output();
  const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`${program} ${args.join(" ")}:\n${text}\n${errors}`);
  return text ?? "";
}

/** The README's code blocks of a language. */
export async function readBlocks(language: string): Promise<string[]> {
  const page = await Deno.readTextFile(join(source, "README.md"));
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"));
  return Array.from(blocks, ([, block = ""]) => block);
}
