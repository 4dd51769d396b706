/** Bun and Workers from the registry: one package for each platform, with one program. */

import { join } from "node:path";
import { installNpmPackage } from "../../../supabase/tools/npm_package.ts";
import { findFreePort } from "../../../tests/support/free_port.ts";
import { waitUntil } from "../../../tests/support/wait_until.ts";

const bunVersion = "1.4.5";
const workerdVersion = "1.20261117.1";

/** The path of the program, or why there is none here. */
export type Found = { readonly path: string } | { readonly missing: string };

/** Bun, which runs a program as Node does. */
export async function findBun(): Promise<Found> {
  const arch = { x86_64: "x64", aarch64: "aarch64" }[Deno.build.arch];
  return await find(`@oven/bun-${Deno.build.os}-${arch}`, bunVersion, "bun");
}

/** The runtime of Cloudflare's Workers. */
export async function findWorkerd(): Promise<Found> {
  const arch = { x86_64: "64", aarch64: "arm64" }[Deno.build.arch];
  return await find(`@cloudflare/workerd-${Deno.build.os}-${arch}`, workerdVersion, "workerd");
}

async function find(name: string, version: string, program: string): Promise<Found> {
  const installed = await installNpmPackage(`${name}@${version}`);
  if ("failure" in installed) return { missing: `${name}@${version} does not install` };
  const path = join(installed.folder, "..", name, "bin", program);
  const started = await new Deno.Command(path, { args: ["--version"], stdin: "null" }).output()
    .catch((error) => ({ success: false, error }));
  return started.success ? { path } : { missing: `${program} does not start` };
}

/** A program as a Worker: it runs when the Worker is called, and its output is the answer. */
export function toWorker(program: string): string {
  const [, imports = "", rest = ""] = /^(import .*\n)([\s\S]*)$/.exec(program) ?? [];
  return `${imports}
export default {
  async fetch() {
    let logged = "";
    const console = { log: (...parts) => logged += parts.join(" ") + "\\n" };
    console.error = console.log;
    ${rest}
    return new Response(logged);
  },
};
`;
}

/** Serves a module by workerd and calls it. @returns what it answers. */
export async function callWorker(
  workerd: string,
  folder: string,
  module: string,
): Promise<string> {
  const port = findFreePort();
  await Deno.writeTextFile(join(folder, "worker.mjs"), module);
  await Deno.writeTextFile(
    join(folder, "worker.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
      compatibilityDate = "2026-11-01",
    )),
    # The service under test is on this machine.
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
  );
  const child = new Deno.Command(workerd, {
    args: ["serve", "worker.capnp"],
    cwd: folder,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  const answer = await callWhenReady(`http://127.0.0.1:${port}`).catch((error) => error as Error)
    .finally(() => child.kill("SIGKILL"));
  const [said] = await Promise.all([errors, child.status]);
  if (answer instanceof Error || !answer.ok) throw new Error(`${answer.toString()}\n${said}`);
  return await answer.text();
}

async function callWhenReady(url: string): Promise<Response> {
  let answer: Response | undefined;
  await waitUntil(async () => {
    answer = await fetch(url).catch(() => undefined);
    return answer !== undefined;
  }, { what: "workerd to answer" });
  return answer!;
}
