/** Lets the project's Data API read the schema that the migrations have changed, and waits for it. */

import * as z from "zod";
import { type DeployTarget, toRemote } from "./deploy_target.ts";
import { querySupabase, runSupabaseCliQuietly, SupabaseCliError } from "./supabase_cli.ts";

/** How long the Data API is waited for, and the pause between two calls. */
export interface ReloadLimits {
  readonly timeoutMs: number;
  readonly intervalMs: number;
}

/** Measured: a reading takes up to 0.92 s after a commit, and 32 s after a restart of the database. */
const reloadLimits: ReloadLimits = { timeoutMs: 90_000, intervalMs: 500 };
const callTimeoutMs = 15_000;

/** The RPC that was created last: the Data API knows the others when it knows this one. */
const tellAndFindNewest = `
  select newest.name
  from pg_notify('pgrst', 'reload schema'), (
    select p.proname as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prorettype = 'jsonb'::regtype
    order by p.oid desc limit 1
  ) as newest`;

const newestSchema = z.array(z.object({ name: z.string() }));
const keysSchema = z.object({
  keys: z.array(z.object({ api_key: z.string(), name: z.string(), type: z.string().nullish() })),
});

/**
 * Tells the Data API to read the schema, and returns once it knows the newest RPC. Functions that were
 * uploaded before would call what it does not know yet.
 *
 * @throws {SupabaseCliError} where the command line fails, or the Data API does not know the RPC in time.
 */
export async function reloadSchema(
  root: string,
  target: DeployTarget,
  environment: Readonly<Record<string, string>> = {},
  limits = reloadLimits,
): Promise<void> {
  const { remote, environment: ofDatabase } = toRemote(target);
  const ofCli = { ...environment, SUPABASE_ACCESS_TOKEN: target.accessToken };
  const [newest] = newestSchema.parse(
    await querySupabase(root, tellAndFindNewest, remote, { ...ofCli, ...ofDatabase }),
  );
  if (newest === undefined) return;
  const key = await readPublicKey(root, target, ofCli);
  const url = `${target.apiUrl}/rest/v1/rpc/${newest.name}`;
  const endsAtMs = performance.now() + limits.timeoutMs;
  for (;;) {
    const answer = await askFor(url, key);
    if (answer === null) return;
    if (performance.now() > endsAtMs) {
      throw new SupabaseCliError(
        `The Data API at ${target.apiUrl} does not know public.${newest.name}: ${answer}.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, limits.intervalMs));
  }
}

/** A key that opens nothing of ours: a call with it is refused, by a Data API that knows the RPC. */
async function readPublicKey(
  root: string,
  { projectRef }: DeployTarget,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const args = ["projects", "api-keys", `--remote=${projectRef}`, "--output-format=json", "--yes"];
  const { keys } = keysSchema.parse(await runSupabaseCliQuietly(root, args, environment));
  const key = keys.find(({ type }) => type === "publishable") ??
    keys.find(({ name }) => name === "anon");
  if (key === undefined) {
    throw new SupabaseCliError("The project has no publishable key (Settings, API Keys).");
  }
  return key.api_key;
}

/** @returns null where the Data API knows the RPC, which it lets nobody call; else its answer. */
async function askFor(url: string, key: string): Promise<string | null> {
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { apikey: key, "content-type": "application/json" },
      body: '{"request":{}}',
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    const text = await response.text();
    const code = /"code":\s*"([^"]*)"/.exec(text)?.[1] ?? "no code";
    return code === "42501" ? null : `${response.status}, ${code}`;
  } catch {
    return "no answer";
  }
}
