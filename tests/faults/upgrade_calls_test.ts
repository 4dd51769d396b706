import { assertEquals, assertGreater } from "../support/assert.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { makeDocumentedCalls } from "../support/releases/documented_calls.ts";
import { findLastRelease } from "../support/releases/last_release.ts";
import { createMigratedDatabase, prepareReleases } from "../support/releases/two_releases.ts";
import { ownRoot, startService } from "../support/stack/service_process.ts";
import { answerSession, createDemoRows } from "../functions/contract/demo_rows.ts";

const release = await findLastRelease();
const reason = "missing" in release ? ` (left out: ${release.missing})` : "";

Deno.test({
  name:
    `the last release's functions on the new schema, and the present ones before the contract step, answer every documented call${reason}`,
  ignore: "missing" in release,
  fn: async () => {
    if ("missing" in release) return;
    await using releases = await prepareReleases(release.commit);
    for (const root of [releases.former.root, ownRoot]) {
      await using database = await createMigratedDatabase(releases.successor.expandMigrations);
      await using provider = startHttpDouble((request) =>
        request.path.endsWith("/message_templates")
          ? Response.json({ data: [], paging: {} })
          : answerSession(request.path) ?? acceptMessage(request)
      );
      // Nobody connects a channel that is new before all functions are.
      const { providerKinds } = await import(`file://${root}/shared/model/provider_kind.ts`);
      const clientToken = await createDemoRows(database.admin, provider.baseUrl, providerKinds);
      await using service = await startService({ root, databaseUrl: database.url });
      const { calls, faults } = await makeDocumentedCalls(service, { clientToken });
      assertEquals(faults, [], root);
      assertGreater(calls, 50, "every endpoint was called");
    }
  },
});
