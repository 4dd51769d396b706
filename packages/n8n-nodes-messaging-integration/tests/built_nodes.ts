/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
/** The package as n8n's own tool builds it, with the types of n8n and nothing else of it. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyPackage, run } from "./package_copy.ts";

const tools = fileURLToPath(new URL("tools", import.meta.url));
const workflowTypes = "n8n-workflow@2.41.0";

/** What npm says where it reaches no registry. */
const unreachable = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "E403"];

export interface BuiltNodes {
  readonly folder: string;
  /** What `npm pack` would publish. */
  readonly files: readonly string[];
  /** What `n8n-node lint` prints. */
  readonly lint: string;
}

/** Installs n8n's tools. @returns why this machine cannot, or null. */
export async function installTools(folder: string): Promise<string | null> {
  for (const name of ["package.json", "package-lock.json"]) {
    await Deno.copyFile(join(tools, name), join(folder, name));
  }
  const flags = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  try {
    await run("npm", ["ci", ...flags, "--prefer-offline"], folder);
    await addTypes(folder);
    return null;
  } catch (error) {
    // Without a registry there is nothing to test; a lock file that does not fit is a fault.
    const [, code = ""] = /npm error code (\w+)/.exec(String(error)) ?? [];
    if (!unreachable.includes(code)) throw error;
    return code;
  }
}

/** Builds a copy of the package beside the tools, and lints it. @throws {Error} where a tool fails. */
export async function buildNodes(folder: string): Promise<BuiltNodes> {
  const target = join(folder, "package");
  await copyPackage(target);
  await Deno.symlink(join(folder, "node_modules"), join(target, "node_modules"));
  const tool = join(folder, "node_modules/.bin/n8n-node");
  await run(tool, ["build"], target);
  const lint = await run(tool, ["lint"], target);
  const [packed] = JSON.parse(
    await run("npm", ["pack", "--dry-run", "--json", "--silent", "--ignore-scripts"], target),
  );
  return {
    folder: target,
    files: packed.files.map(({ path }: { path: string }) => path),
    lint,
  };
}

/**
 * The archive of one package, without the 120 that it runs on: a build reads its types, and the linter
 * the constants beside them.
 */
async function addTypes(folder: string): Promise<void> {
  const [packed] = JSON.parse(
    await run("npm", ["pack", workflowTypes, "--json", "--silent", "--prefer-offline"], folder),
  );
  const target = join(folder, "node_modules/n8n-workflow");
  await Deno.mkdir(target, { recursive: true });
  await run("tar", ["xzf", packed.filename, "-C", target, "--strip-components=1"], folder);
  const constants = 'module.exports = require("./interfaces.js");\n';
  await Deno.writeTextFile(join(target, "dist/cjs/index.js"), constants);
}
