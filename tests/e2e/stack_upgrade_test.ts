import { join } from "node:path";
import { assertEquals, assertMatch } from "../support/assert.ts";
import { copyCluster } from "../support/database/cluster_copy.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { checkOut } from "../support/releases/checkout.ts";
import { findLastRelease } from "../support/releases/last_release.ts";
import { copyFolder } from "../support/releases/scratch_schemas.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  spawnLocalStack,
  type StackInstance,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import { useEmbeddedDatabase } from "../support/stack/embedded_database.ts";
import { ownRoot } from "../support/stack/service_process.ts";
import { waitUntil } from "../support/wait_until.ts";

const addedMigration = "20900101000000_add_upgraded.sql";
const phone = "5511988887777";
/** Longer than the upgrade takes: the queued message is still in the queue when the history is read. */
const queuedSeconds = 3_600;

Deno.test("a start on the data of the last release upgrades it, says so and goes on with it; an older version then refuses it", async () => {
  await using cleanup = new AsyncDisposableStack();
  const release = await findLastRelease();
  // Without git's history this checkout stands for the release.
  const former = "missing" in release ? ownRoot : cleanup.use(await checkOut(release.commit)).root;
  const next = cleanup.use(await copyAsNextVersion()).path;
  const folder = cleanup.use(await makeTemporaryFolder());
  const dataDir = join(folder.path, "data");
  const provider = cleanup.use(startHttpDouble(acceptMessage));

  const { instance, demo, history } = await fill(dataDir, former, provider.baseUrl);
  {
    await using stack = await startLocalStack({ dataDir, root: next });
    assertMatch(
      stack.output(),
      new RegExp(
        `^The data was of version \\d\\S+.* and is upgraded to \\d\\S+ with unreleased migrations\\. Applied:\n(  \\d{14}_\\w+\\.sql\n)*  ${addedMigration}\n`,
      ),
    );
    assertEquals(readDemo(stack), demo);
    assertEquals(await readHistory(stack, instance), history);
    await useEmbeddedDatabase(dataDir, (sql) => letTimePass(sql, queuedSeconds));
    await waitUntil(() => provider.requests.length === 2, { what: "the queued message" });
  }
  assertEquals(provider.requests.map(({ json }) => json["message"]), ["first", "second"]);

  await using older = spawnLocalStack({ dataDir });
  assertEquals(await older.ended(), 1);
  assertMatch(
    older.output(),
    /^The data in \S+ belongs to a newer version: \S+ does not know its migrations 20900101000000\. Start .*, or start on new data: set DATA_DIR to a new folder\.\n$/,
  );
});

Deno.test("a start on data from before 1.0.0 is refused in words that say what to do, and changes nothing", async () => {
  await using database = await createTestDatabase({ own: true });
  await using folder = await makeTemporaryFolder();
  await database.admin`
    update supabase_migrations.schema_migrations set statements = array['select 1']
    where version = (select min(version) from supabase_migrations.schema_migrations)`;
  await using stack = spawnLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  assertEquals(await stack.ended(), 1);
  assertMatch(
    stack.output(),
    /^The database of DATABASE_URL is from before 1\.0\.0, .* It cannot be upgraded\. Start .*, or start on new data: let DATABASE_URL name an empty database\.\n$/,
  );
  const [row] = await database.admin`select count(*)::integer as count from messaging.workspaces`;
  assertEquals(row?.["count"], 0);
});

/** A copy of this checkout with one more migration. */
async function copyAsNextVersion(): Promise<{ readonly path: string } & AsyncDisposable> {
  const copy = await makeTemporaryFolder();
  for (const name of ["functions", "shared", "supabase", "migrations"]) {
    await copyFolder(join(ownRoot, name), join(copy.path, name));
  }
  for (const name of ["deno.json", "deno.lock", "import_map.json"]) {
    await Deno.copyFile(join(ownRoot, name), join(copy.path, name));
  }
  await Deno.writeTextFile(
    join(copy.path, "migrations", addedMigration),
    "alter table messaging.messages add column upgraded boolean not null default true;\n",
  );
  return copy;
}

/** Starts the former version, sends one message, queues another, and stops. */
async function fill(dataDir: string, root: string, baseUrl: string): Promise<{
  instance: StackInstance;
  demo: string;
  history: unknown[];
}> {
  await copyCluster(dataDir);
  await using stack = await startLocalStack({ dataDir, root });
  const { workspaceId } = await stack.administer("workspaces", { name: "Empresa" });
  const instance = await stack.createInstance({
    workspaceId,
    provider: "zapi",
    providerConfig: {
      baseUrl,
      gatewayInstanceId: "UPGRADE",
      token: "upgrade-token",
      webhookSecret: "upgrade-webhook-secret-0000001",
    },
  });
  const later = { delayMessage: queuedSeconds };
  for (const [message, delivery] of [["first", {}], ["second", later]] as const) {
    const { status, body } = await stack.call(instance, "send-message", {
      ...{ instanceId: instance.instanceId, phone, messageType: "text", message, ...delivery },
    });
    assertEquals(status, 200, JSON.stringify(body));
  }
  return { instance, demo: readDemo(stack), history: await readHistory(stack, instance) };
}

function readDemo(stack: LocalStack): string {
  return /^ {2}Instance +\S+\n {2}Token +\S+$/m.exec(stack.output())?.[0] ?? "";
}

async function readHistory(stack: LocalStack, instance: StackInstance): Promise<unknown[]> {
  const day = (offset: number): string =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const { status, body } = await stack.call(
    instance,
    `messages-context?phone=${phone}&instanceId=${instance.instanceId}&start=${day(-1)}&end=${
      day(1)
    }`,
  );
  assertEquals(status, 200, JSON.stringify(body));
  return body.conversation;
}
