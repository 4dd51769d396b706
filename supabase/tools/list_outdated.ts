/**
 * `deno task outdated`: reads every version of an npm package that the repository pins, asks the registry
 * for the newest, and prints what is behind and what stays behind for a reason. Exit code 1 while anything
 * is behind, 2 where the registry does not answer.
 */
import { fileURLToPath } from "node:url";
import { print, printError } from "../deploy/command_line.ts";
import { holds } from "./dependencies/holds.ts";
import { findOutdated, renderOutdated } from "./dependencies/outdated_packages.ts";
import { readPinnedFiles } from "./dependencies/pinned_files.ts";
import { readPins } from "./dependencies/pinned_packages.ts";

/** A call takes a second, and most of it is waiting. */
const callsAtOnce = 6;

async function main(): Promise<number> {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const files = await readPinnedFiles(root);
  const pins = [...files].flatMap(([path, text]) => readPins(path, text));
  const names = [...new Set(pins.map(({ name }) => name))].sort();
  const newest = await askNewest(names);
  const unknown = names.filter((name) => !newest.has(name));
  const outdated = findOutdated(pins, newest, holds);
  if (outdated.length > 0) { for (const line of renderOutdated(outdated)) print(line); }
  const behind = outdated.filter(({ reason }) => reason === undefined).length;
  print(`${names.length} packages, ${behind} behind, ${outdated.length - behind} held.`);
  if (unknown.length > 0) printError(`npm does not tell the newest of: ${unknown.join(", ")}`);
  return unknown.length > 0 ? 2 : behind > 0 ? 1 : 0;
}

/** The newest version by name, without the packages that npm cannot tell of. */
async function askNewest(names: readonly string[]): Promise<Map<string, string>> {
  const newest = new Map<string, string>();
  const waiting = [...names];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const { success, stdout } = await new Deno.Command("npm", {
        args: ["view", name, "version"],
        stdin: "null",
        stderr: "null",
      }).output();
      const version = new TextDecoder().decode(stdout).trim();
      if (success && version !== "") newest.set(name, version);
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, work));
  return newest;
}

if (import.meta.main) Deno.exit(await main());
