/**
 * `deno task start`: runs the whole product on one machine, without Docker or an account. With
 * `--data-api` the functions use the platform's transport (supabase-js).
 *
 * This module imports no package: Deno fetches all of the lock file before it runs a module that does,
 * and this one says so in one line.
 */
import { announceFetching } from "../host/package_fetching.ts";

// A name that Deno does not read before it runs.
const runner = new URL("run_stack.ts", import.meta.url);
const line = await announceFetching(new URL("deno.lock", import.meta.url));
const { runStack }: typeof import("./run_stack.ts") = await import(runner.href);
line[Symbol.dispose]();
Deno.exit(await runStack());
