/**
 * `deno task serve`: the functions on one machine, in production. `deno task serve migrate` brings its
 * database to this version.
 *
 * This module imports no package: Deno fetches all of the lock file before it runs a module that does,
 * and this one says so in one line.
 */
import { announceFetching } from "../host/package_fetching.ts";

// A name that Deno does not read before it runs.
const runner = new URL("run_serve.ts", import.meta.url);
const line = await announceFetching(new URL("deno.lock", import.meta.url));
const { runServe }: typeof import("./run_serve.ts") = await import(runner.href);
line[Symbol.dispose]();
Deno.exit(await runServe(Deno.args));
