/** Disks that become full under the service, and have room again: what was accepted is there, and nothing is sent twice. */

import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { createPlatformRoles } from "../../supabase/host/roles.ts";
import { applyMigrations } from "../../supabase/host/migrations.ts";
import { startPostgres } from "../../supabase/local/postgres_server.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { copyCluster } from "../support/database/cluster_copy.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { heads, padded } from "../support/fixtures/media_files.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { findDiskObstacle, mountSmallDisk } from "../support/machine/small_disk.ts";
import { callSender, callUntilAnswered } from "../support/stack/sender_calls.ts";
import { type ServeProcess, startServe } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";

const obstacle = await findDiskObstacle();
const skipped = obstacle === null ? "" : ` (skipped: ${obstacle})`;
const migrations = fileURLToPath(new URL("../../migrations", import.meta.url));
const photo = padded(heads.jpeg, 3_000_000);

Deno.test({
  name:
    `a full disk of files refuses uploads with 503 and is not ready; with room again the same upload is stored${skipped}`,
  ignore: obstacle !== null,
  fn: async () => {
    await using disk = await mountSmallDisk(8);
    await using database = await createTestDatabase();
    const { token } = await createTenant(database.admin, { baseUrl: "http://127.0.0.1:9" });
    await using service = await startServe({
      environment: { DATABASE_URL: database.url, MEDIA_FOLDER: disk.path },
    });
    const upload = async (key: string): Promise<[number, Record<string, unknown>]> => {
      const form = new FormData();
      form.append("file", new Blob([photo], { type: "image/jpeg" }), "a.jpg");
      const response = await fetch(`${service.origin}/functions/v1/media-api/media`, {
        method: "POST",
        headers: { "X-Client-Token": token, "Idempotency-Key": key },
        body: form,
      });
      return [response.status, await response.json()];
    };
    const [status, { mediaId }] = await upload("first");
    assertEquals(status, 201);
    await disk.fill();
    const [refused, body] = await upload("second");
    assertEquals([refused, body["error"]], [503, "service_unavailable"]);
    assertEquals((await readHealth(service)).media, false);
    assertEquals((await readHealth(service)).ready, false);
    await disk.empty();
    assertEquals((await upload("second"))[0], 201);
    assertEquals((await readHealth(service)).media, true);
    const stored = await fetch(
      `${service.origin}/functions/v1/media-api/media/${mediaId}`,
      {
        headers: { "X-Client-Token": token },
      },
    );
    assertEquals((await stored.arrayBuffer()).byteLength, photo.byteLength);
  },
});

Deno.test({
  name:
    `a full disk of the database refuses calls with 503 and is not ready; each accepted message is there, and none is sent twice${skipped}`,
  ignore: obstacle !== null,
  fn: async () => {
    await using disk = await mountSmallDisk(220);
    const dataDir = `${disk.path}/data`;
    await copyCluster(dataDir);
    await using server = await startPostgres({ dataDir });
    const admin = postgres(server.databaseUrl, { max: 2, onnotice: () => {} });
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => admin.end({ timeout: 3 }));
    await createPlatformRoles(admin);
    await applyMigrations(admin, migrations);
    await using provider = startHttpDouble(acceptMessage);
    const tenant = await createTenant(admin, { baseUrl: provider.baseUrl });
    await using service = await startServe({
      environment: { DATABASE_URL: server.databaseUrl, PROVIDER_TIMEOUT_MS: "2000" },
    });
    const sender = { url: `${service.origin}/functions/v1/send-message` };
    const refused: number[] = [];
    const call = async (number: number): Promise<void> => {
      const body = {
        phone: `55119${String(80_000_000 + number)}`,
        ...{ messageType: "text", message: `text ${number} ${"x".repeat(3_000)}` },
      };
      const first = await callSender(sender, tenant, `call-${number}`, body);
      if (first?.status === 503) refused.push(number);
      const { status } = await callUntilAnswered(sender, tenant, `call-${number}`, body);
      // 504: the provider had it, and no room came in time for its outcome.
      assert([200, 504].includes(status), `call-${number}: ${status}`);
    };
    await call(0);
    await disk.fill();
    // One whose message was stored waits until its outcome can be.
    const calls: Promise<void>[] = [];
    await waitUntil(() => {
      if (calls.length < 100) calls.push(call(calls.length + 1));
      return refused.length > 0;
    }, { what: "a refusal" });
    await waitUntil(async () => !(await readHealth(service)).database, { what: "no room" });
    assertEquals((await readHealth(service)).ready, false);
    await disk.empty();
    await Promise.all(calls);
    await waitUntil(async () => (await readHealth(service)).ready, { what: "ready again" });
    const [row] = await admin<{ count: number }[]>`
      select count(*)::integer as count from messaging.messages where direction = 'outbound'`;
    assertEquals(row?.count, calls.length + 1, "each call made one message");
    const texts = provider.requests.map(({ json }) => String(json["message"]));
    assertEquals(new Set(texts).size, texts.length, "none twice");
    assertEquals(texts.length, calls.length + 1);
  },
});

async function readHealth(
  service: ServeProcess,
): Promise<{ ready: boolean; database: boolean; media: boolean }> {
  return await (await fetch(`${service.origin}/health/ready`)).json();
}
