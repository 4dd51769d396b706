/**
 * Packages with a build script are named in `allowScripts` of deno.json: no script runs here, and
 * about each one that is not named Deno prints a warning above the first start.
 */
import { assertEquals } from "../support/assert.ts";
import { readText } from "./repository.ts";

interface Lockfile {
  readonly npm: Readonly<Record<string, { readonly scripts?: boolean }>>;
}

/** `npm:<name>@<version>` of each package with a build script. */
function listPackagesWithScripts({ npm }: Lockfile): string[] {
  return Object.entries(npm)
    .filter(([, { scripts }]) => scripts === true)
    // Behind an underscore the lock names the peers.
    .map(([key]) => `npm:${key.replace(/(?<=.@[^_]+)_.*$/, "")}`)
    .sort();
}

Deno.test("no package's build script is left to a warning at the first start", async () => {
  const { allowScripts } = JSON.parse(await readText("deno.json"));
  const lock = JSON.parse(await readText("deno.lock"));
  assertEquals(listPackagesWithScripts(lock), allowScripts.deny.toSorted());
});

Deno.test("a package with a build script is found, whatever its name and peers", () => {
  const npm = {
    "@a/b@1.0.0-beta.1": { scripts: true },
    "c@2.0.0_d@3.0.0": { scripts: true },
    "e@4.0.0": {},
  };
  assertEquals(listPackagesWithScripts({ npm }), ["npm:@a/b@1.0.0-beta.1", "npm:c@2.0.0"]);
});
