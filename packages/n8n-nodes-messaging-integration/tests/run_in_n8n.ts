/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
/**
 * `deno task test:n8n`: installs Node and n8n into `.local/n8n` (2.9 GB, some minutes; kept for the next
 * time), and runs the tests that need them. `N8N_FOLDER` names another folder.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { n8nVersion, nodeVersion, programsOf } from "./n8n_program.ts";
import { run } from "./package_copy.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = Deno.env.get("N8N_FOLDER") ?? join(root, ".local/n8n");

// n8n's packages need no script of their own: its database here is Postgres.
const flags = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];

async function install(name: string, packages: readonly string[], flags: string[]): Promise<void> {
  const target = join(folder, name);
  if (await Deno.stat(join(target, "node_modules")).catch(() => null) !== null) return;
  await Deno.mkdir(target, { recursive: true });
  await Deno.writeTextFile(join(target, "package.json"), `{"private":true}`);
  await run("npm", ["install", ...flags, ...packages], target);
}

await install("node", [`node@${nodeVersion}`], ["--no-audit", "--no-fund"]);
await install("n8n", [`n8n@${n8nVersion}`], flags);
const { default: manifest } = await import("../package.json", { with: { type: "json" } });
const tools = Object.entries(manifest.devDependencies).map(([name, at]) => `${name}@${at}`);
await install("tools", tools, flags);
await run(programsOf(folder).node, ["--version"], folder);

const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["task", "test", "packages/n8n-nodes-messaging-integration/tests/n8n_run_test.ts"],
  cwd: root,
  env: { N8N_FOLDER: folder },
  stdin: "null",
}).spawn().status;
Deno.exit(code);
