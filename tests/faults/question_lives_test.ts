/** Whatever meets in the life of a question: one end, told once, and the one that the contract allows. */

import { runQuestions } from "../../shared/messages/maintenance.ts";
import {
  createWebhookClient,
  type WebhookClient,
} from "../functions/provider_webhook/webhook_client.ts";
import { cloudPayload, cloudText } from "../functions/provider_webhook/webhook_client.ts";
import { assertEquals } from "../support/assert.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import {
  type LivedQuestion,
  liveQuestions,
  type LivesWorld,
} from "../support/model/question_lives.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import { waitUntil } from "../support/wait_until.ts";

const settings = readFaultSettings();
const { lives = 300, concurrency = 8 } = settings;
/** Without a number of lives none is begun later. */
const limitMs = settings.lives === undefined ? 12_000 : Infinity;
const { seed } = createSeededRandom(settings.seed);
/** So that no instance's rows grow with the number of lives. */
const livesPerTenant = 250;

Deno.test(`each question of up to ${lives} lives has the one end that may be, told once, from seed ${seed}`, async () => {
  const random = createSeededRandom(seed);
  await using receiver = startHttpDouble(() =>
    new Response(null, { status: random.between(0, 1) < 0.9 ? 200 : 409 })
  );
  await using client = await createWebhookClient();
  client.stack.provider.answer = async (request) => {
    await new Promise((resolve) => setTimeout(resolve, random.between(0, 15)));
    return request.text.includes(" refused")
      ? Response.json({ error: { code: 131026, message: "no" } }, { status: 400 })
      : acceptMessage(request);
  };
  const world = createWorld(client, receiver.baseUrl);
  await using _dispatcher = startDispatching(client);
  const lived: LivedQuestion[] = [];
  let next = 0;
  let ended = 0;
  const startedAt = performance.now();
  let tenant: Promise<Tenant> | undefined;
  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (
      let number = next++;
      number < lives && performance.now() - startedAt < limitMs;
      number = next++
    ) {
      if (number % livesPerTenant === 0) tenant = undefined;
      tenant ??= createTenant(client.stack.admin, {
        ...{ provider: "whatsapp_cloud", baseUrl: client.stack.provider.baseUrl },
      });
      lived.push(...await liveQuestions(world, await tenant, seed + number, number));
      ended += 1;
    }
  }));
  await untilAllIsTold(client);
  await checkEnds(client, lived, receiver.requests.map(({ path, text }) => ({ path, text })));
  const words = client.stack.provider.requests.map(({ text }) => text);
  for (const { name, mayRemind } of lived) {
    const reminders = words.filter((text) => text.includes(`"R ${name}"`)).length;
    assertEquals(reminders <= (mayRemind ? 1 : 0), true, `${reminders} reminders of ${name}`);
    const hints = words.filter((text) => text.includes(`"I ${name}"`)).length;
    assertEquals(hints <= 1, true, `${hints} times the words for what does not fit ${name}`);
  }
  const ends = Object.groupBy(
    lived,
    ({ state }) => state.split(":").at(-1)!.replace(/\d+/, "answered"),
  );
  printFigures("question lives", {
    ...{ seed, lives: ended, questions: lived.length },
    ...Object.fromEntries(Object.entries(ends).map(([end, of]) => [end, of?.length ?? 0])),
  });
});

/** One event for each question, the same as its state, and one call with that event. */
async function checkEnds(
  { stack }: WebhookClient,
  lived: readonly LivedQuestion[],
  calls: readonly { readonly path: string; readonly text: string }[],
): Promise<void> {
  const events = await stack.admin<{ id: string; type: string; data: Record<string, string> }[]>`
    select 'evt_' || replace(id::text, '-', '') as id, type, data from messaging.events
    where type like 'question.%'`;
  const eventsOf = Map.groupBy(events, ({ data }) => data["questionId"]);
  const callsOf = Map.groupBy(calls, ({ path }) => path);
  for (const { name, questionId, state, isErased } of lived) {
    const [event, ...others] = eventsOf.get(questionId) ?? [];
    assertEquals(others, [], name);
    if (isErased && state !== "canceled:erased") continue;
    const told = event?.type === "question.canceled"
      ? `canceled:${event.data["reason"]}`
      : event?.type.replace("question.", "");
    assertEquals(told, state.startsWith("answered:") ? "answered" : state, name);
    const notified = (callsOf.get(`/${name}`) ?? []).map(({ text }) => JSON.parse(text).id);
    assertEquals(notified, [event?.id], name);
  }
  const known = new Set(lived.map(({ questionId }) => questionId));
  assertEquals(events.filter(({ data }) => !known.has(data["questionId"]!)), []);
}

function createWorld({ stack, cloud }: WebhookClient, notifyUrl: string): LivesWorld {
  let told = 0;
  return {
    admin: stack.admin,
    notifyUrl,
    send: (tenant, body) => stack.send(tenant, body),
    post: (tenant, path, body) => stack.post(tenant, path, body),
    request: ({ token }, method, path) =>
      stack.request(path, { method, headers: { "X-Client-Token": token } }),
    say: async (tenant, phone, words, secondsAgo) => {
      const timestamp = `${Math.floor(Date.now() / 1_000) - secondsAgo}`;
      const messages = [cloudText(`SAID${++told}`, words, { from: phone, timestamp })];
      assertEquals((await cloud(tenant, cloudPayload({ messages }))).status, 200);
    },
    fail: async (tenant, phone, id) => {
      const statuses = [{
        ...{ id, status: "failed", recipient_id: phone },
        timestamp: `${Math.floor(Date.now() / 1_000)}`,
        errors: [{ code: 131026, title: "Message undeliverable" }],
      }];
      assertEquals((await cloud(tenant, cloudPayload({ statuses }))).status, 200);
    },
  };
}

/** Dispatchers that run one after the other, and look at the questions that are due. */
function startDispatching({ stack }: WebhookClient): AsyncDisposable {
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      await stack.dispatchOnce({ durationMs: 200 });
      await runQuestions(stack.database);
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await running;
    },
  };
}

async function untilAllIsTold({ stack }: WebhookClient): Promise<void> {
  await waitUntil(async () => {
    const waiting = await stack.admin`
      select from messaging.outbox where kind = 'question_notification' and settled_at is null`;
    return waiting.length === 0;
  }, { what: "the last notification", timeoutMs: 60_000 });
}
