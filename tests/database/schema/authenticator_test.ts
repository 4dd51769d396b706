import { assert, assertEquals } from "../../support/assert.ts";
import {
  callAsAuthenticator,
  readAuthenticatorSettings,
} from "../../support/database/authenticator.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createSmallTenant, tenantRequests } from "../../support/fixtures/tenant_requests.ts";
import { wholeProjectRpcs } from "../../support/fixtures/tenant_works.ts";

/** Of requests that are refused for what they name; each has got as far as it gets elsewhere. */
const ownSqlstate = /^MI\d{3}$/;

Deno.test("the Data API's sessions end a statement and a wait for a lock after 8 s", async () => {
  await using database = await createTestDatabase();
  assertEquals((await readAuthenticatorSettings(database.admin)).toSorted(), [
    "lock_timeout=8s",
    "statement_timeout=8s",
  ]);
});

Deno.test("every function that TypeScript calls answers the Data API, the STABLE ones in a read-only transaction", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const tenant = await createSmallTenant(admin);
  const requests = [
    ...Object.entries(tenantRequests(tenant)),
    ...wholeProjectRpcs.map((name) => [name, [{ keyId: "k", limit: 1, after: null }]] as const),
  ];
  assert(requests.length > 100, "the requests were read");
  const failures: string[] = [];
  for (const [name, ofName] of requests) {
    for (const request of ofName) {
      const sqlstate = await callAsAuthenticator(admin, name, request);
      if (sqlstate !== null && !ownSqlstate.test(sqlstate)) failures.push(`${name}: ${sqlstate}`);
    }
  }
  assertEquals(failures, []);
});

Deno.test("a STABLE function that calls one that writes fails as the Data API calls it", async () => {
  await using database = await createTestDatabase();
  await database.admin.unsafe(`
    create function public.write_slip() returns boolean language sql as $$
      update messaging.metric_snapshots set health = null where is_only returning true
    $$;
    create function public.slip(request jsonb) returns jsonb language sql stable as $$
      select to_jsonb(public.write_slip())
    $$`);
  assertEquals(await callAsAuthenticator(database.admin, "slip", {}), "25006");
  await database.admin.unsafe("alter function public.slip volatile");
  assertEquals(await callAsAuthenticator(database.admin, "slip", {}), null);
});
