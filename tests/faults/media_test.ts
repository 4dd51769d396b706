/** A dispatcher that is killed while it fetches files, and a storage that is away: nothing is lost or left. */

import { setTimeout as delay } from "node:timers/promises";
import { assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { untilSessionsRest } from "../support/database/sessions.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import { heads, padded } from "../support/fixtures/media_files.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { startFunctionProcess } from "../support/stack/function_process.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import { waitUntil } from "../support/wait_until.ts";
import { callFunction } from "../support/database/queue_calls.ts";
import { phone } from "../support/fixtures/event_world.ts";

const settings = readFaultSettings();
const kills = settings.kills ?? 3;
const count = 24;
/** Longer than the claim of a file. */
const leaseSeconds = 160;
const picture = padded(heads.jpeg, 200_000);

/** Sends each picture in slow parts, so that kills meet half of one. */
function servePictures(pauseMs: () => number): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    let sent = 0;
    return new Response(
      new ReadableStream({
        async pull(controller): Promise<void> {
          await delay(pauseMs());
          controller.enqueue(picture.slice(sent, sent += 50_000));
          if (sent >= picture.byteLength) controller.close();
        },
      }, { highWaterMark: 0 }),
    );
  });
}

Deno.test(`a dispatcher killed ${kills} times while it fetches files stores each of them, and leaves nothing else`, async () => {
  const random = createSeededRandom(settings.seed);
  const folder = await Deno.makeTempDir();
  const server = servePictures(() => random.between(5, 60));
  try {
    await using database = await createTestDatabase();
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const tenant = await createTenant(database.admin, { baseUrl: origin });
    const [instance] = await database.admin`
      select sealed_provider_config as sealed from messaging.instances`;
    for (let place = 0; place < count; place++) {
      await callFunction(database.admin, "record_provider_events", {
        instanceId: tenant.instanceId,
        sealedProviderConfig: instance?.["sealed"],
        payload: null,
        events: [{
          kind: "message",
          origin: "inbound",
          providerMessageId: `IN-${place}`,
          address: phone,
          otherAddresses: [],
          messageType: "image",
          message: null,
          content: null,
          isGroup: false,
          file: { source: { url: `${origin}/${place}` }, mimeType: "image/jpeg" },
        }],
      });
    }
    const environment = { MEDIA_FOLDER: folder, ALLOW_PRIVATE_HOSTS: "true" };
    const dispatch = { slug: "dispatch-queue", databaseUrl: database.url, environment };
    for (let killed = 0; killed < kills; killed++) {
      await using dispatcher = await startFunctionProcess(dispatch);
      await using cron = startDispatchCron(dispatcher.url, 2);
      await delay(random.between(50, 500));
      await dispatcher.kill();
      await cron.stop();
      // Its last statement may yet claim something.
      await untilSessionsRest(database.admin);
      await letTimePass(database.admin, leaseSeconds);
    }
    await using dispatcher = await startFunctionProcess(dispatch);
    await using cron = startDispatchCron(dispatcher.url, 2);
    let passedAtMs = performance.now();
    await waitUntil(async () => {
      // What failed is due again later. Not sooner than a slow machine has fetched a file: its claim would end.
      if (performance.now() - passedAtMs > 20_000) {
        await letTimePass(database.admin, leaseSeconds);
        passedAtMs = performance.now();
      }
      const [open] = await database.admin`
        select count(*)::integer as rows from messaging.media where status = 'pending'`;
      return open?.["rows"] === 0;
    }, { timeoutMs: 180_000, intervalMs: 300, what: "all files to be stored" });
    await cron.stop();
    const rows = await database.admin`
      select d.status, d.storage_path as path from messaging.messages m
      join messaging.media d on d.id = m.media_id`;
    assertEquals(rows.map(({ status }) => status), Array(count).fill("stored"));
    const stored = await listFiles(folder);
    assertEquals(stored.sort(), rows.map(({ path }) => `${path}/content`).sort());
    for (const path of stored) assertEquals(await Deno.readFile(`${folder}/${path}`), picture);
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});

async function listFiles(folder: string, inner = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${inner}`)) {
    const path = inner === "" ? name : `${inner}/${name}`;
    found.push(...(isDirectory ? await listFiles(folder, path) : [path]));
  }
  return found;
}
