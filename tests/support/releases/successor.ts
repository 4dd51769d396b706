/**
 * A next release for the tests of upgrades: this checkout's migrations and one more, which adds a
 * column to the busiest table and replaces the function that both releases' dispatchers call. So an
 * upgrade happens even where this checkout has no new migration.
 */

import { join } from "node:path";
import { contractPrefix } from "../../../supabase/deploy/upgrade_plan.ts";
import { copySchemas } from "./scratch_schemas.ts";

/** The migrations of the next release, in folders. */
export interface Successor extends AsyncDisposable {
  /** All of them. */
  readonly migrations: string;
  /** Those that are applied while the former release's functions run. */
  readonly expandMigrations: string;
}

/** The added column, and the field that the replaced function adds to its answer. */
export const addedColumn = "added_by_successor";

/** Later than every migration of this checkout. */
const now = new Date("2090-01-01T00:00:00Z");

/**
 * Writes the release; disposing removes it.
 *
 * @param serverUrl a database of a server that takes scratch databases, as a superuser.
 * @param formerMigrations the folder of the release that is upgraded.
 */
export async function writeSuccessor(
  serverUrl: string,
  formerMigrations: string,
): Promise<Successor> {
  await using cleanup = new AsyncDisposableStack();
  const schemas = cleanup.use(await copySchemas({ serverUrl, now }));
  await schemas.edit(
    "messages/tables/messages.sql",
    (text) =>
      text.replace(
        "\n  constraint ",
        `\n  ${addedColumn} integer not null default 7,\n  constraint `,
      ),
  );
  await schemas.edit(
    "queue/rpc/claim_due_messages.sql",
    (text) =>
      text.replace(
        "return jsonb_build_object(",
        `return jsonb_build_object(\n    '${addedColumn}', true,`,
      ),
  );
  await schemas.release();
  const { written, remaining } = await schemas.migrate(addedColumn);
  if (written.length !== 1 || remaining.length > 0) {
    throw new Error(`the migration is not complete: ${JSON.stringify({ written, remaining })}`);
  }
  const { migrations } = schemas.folders;
  const expandMigrations = await Deno.makeTempDir({ prefix: "messaging-expand-" });
  cleanup.defer(() => Deno.remove(expandMigrations, { recursive: true }));
  const applied = new Set(Array.from(Deno.readDirSync(formerMigrations), ({ name }) => name));
  for (const { name } of Deno.readDirSync(migrations)) {
    const isContract = name.slice(15).startsWith(contractPrefix) && !applied.has(name);
    if (!isContract) await Deno.copyFile(join(migrations, name), join(expandMigrations, name));
  }
  const keep = cleanup.move();
  return { migrations, expandMigrations, [Symbol.asyncDispose]: () => keep.disposeAsync() };
}
