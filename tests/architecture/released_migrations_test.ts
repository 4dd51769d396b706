import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../../shared/model/version.ts";
import {
  findReleaseProblems,
  hashMigrations,
  readReleasedMigrations,
} from "../../supabase/tools/migrations/released_migrations.ts";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

Deno.test("no migration of a release was edited or removed, and new ones come after all of them", async () => {
  const released = await readReleasedMigrations(join(root, "supabase/released_migrations.json"));
  assert(Object.keys(released).length > 0, "no release is recorded");
  assertEquals(findReleaseProblems(released, await hashMigrations(join(root, "migrations"))), []);
});

Deno.test("the changelog has the version that the code names", async () => {
  const changelog = await Deno.readTextFile(join(root, "CHANGELOG.md"));
  assertEquals(/^## \[(\d[^\]]*)\]/m.exec(changelog)?.[1], version);
  assertMatch(changelog, /^## \[Unreleased\]$/m);
});
