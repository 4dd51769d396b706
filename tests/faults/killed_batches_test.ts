/** Workers that die in the middle of a batch, which is paused and resumed meanwhile. */

import { claimMessages } from "../support/database/queue_calls.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import { assertEquals } from "../support/assert.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import {
  changeBatch,
  createBatch,
  listRecipients,
  readBatch,
  readRecipients,
} from "../support/fixtures/batch_calls.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import { startMessagingStack } from "../support/stack/messaging_stack.ts";

const settings = readFaultSettings();
const kills = settings.kills ?? 4;
const people = Math.min(settings.messages ?? 16, 1_000);

Deno.test("in a batch with killed workers, pauses and resumptions nobody is written to twice, and nobody is lost", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const random = createSeededRandom(settings.seed);
  const batchId = await createBatch(stack, tenant, { recipients: listRecipients(people) });
  await changeBatch(stack, tenant, batchId, "start");
  let killed = 0;
  for (let round = 0; round < people * 3; round++) {
    if ((await readBatch(stack, tenant, batchId)).status === "finished") break;
    if (random.between(0, 1) < 0.15) {
      await changeBatch(stack, tenant, batchId, "pause");
      await changeBatch(stack, tenant, batchId, "resume");
    }
    // A worker that dies with its claim leaves the message unconfirmed: it may have been sent.
    if (killed < kills && random.between(0, 1) < 0.3) {
      killed += (await claimMessages(stack.admin, 1)).length;
    } else await stack.dispatch({ durationMs: 20 });
    await letTimePass(stack.admin, 31);
  }
  const seed = `seed ${random.seed}`;
  const items = await readRecipients(stack, tenant, batchId, { limit: "1000" });
  const unconfirmed = items.filter(({ status }) => status === "unconfirmed").length;
  const sent = items.filter(({ status }) => status === "sent").length;
  assertEquals([unconfirmed, sent, killed > 0], [killed, people - killed, true], seed);
  const phones = stack.provider.requests.map(({ json }) => String(json["phone"]));
  assertEquals([new Set(phones).size, phones.length], [sent, sent], seed);
  const [stored] = await stack.admin`
    select count(*)::int as messages, count(distinct contact_id)::int as people
    from messaging.messages`;
  assertEquals({ ...stored }, { messages: people, people }, seed);
});
