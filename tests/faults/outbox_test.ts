import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { assert, assertEquals } from "../support/assert.ts";
import { countOpen } from "../support/fixtures/backlog.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import {
  type FunctionProcess,
  secretKey,
  startFunctionProcess,
} from "../support/stack/function_process.ts";
import { assignConversations, receiveMessages } from "../support/fixtures/outbox_events.ts";
import { startChatModel, startMailService } from "../support/doubles/outside_services.ts";
import { createSeededRandom } from "../support/seeded_random.ts";
import { startSlowProvider } from "../support/doubles/slow_provider.ts";
import { createAgent, createOperator, createTenant } from "../support/fixtures/tenant.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import { waitUntil } from "../support/wait_until.ts";

const settings = readFaultSettings();
const kills = settings.kills === undefined ? 5 : Math.ceil(settings.kills / 4);
const count = 20;
/** Messages that each contact writes. */
const rounds = 2;
const operatorEmail = "bia@example.com";
/** Longer than any claim of an outbox row or of a message lasts. */
const leaseSeconds = 120;

Deno.test(`a dispatcher killed ${kills} times mails each assignment once and answers each message at most once`, async () => {
  const random = createSeededRandom(settings.seed);
  let isFaulty = true;
  const interfere = (from: number, to: number) => async (): Promise<Response | undefined> => {
    await delay(random.between(from, to));
    const isRefused = isFaulty && random.between(0, 1) < 0.2;
    return isRefused ? Response.json({ name: "application_error" }, { status: 500 }) : undefined;
  };
  await using database = await createTestDatabase();
  await using mail = startMailService(interfere(10, 100));
  await using model = startChatModel(interfere(100, 500));
  await using provider = startSlowProvider(() => random.between(50, 300));
  const environment = {
    RESEND_BASE_URL: mail.baseUrl,
    AI_BASE_URL: `${model.baseUrl}/v1`,
    PROVIDER_TIMEOUT_MS: "2000",
  };
  const startDispatcher = (): Promise<FunctionProcess> =>
    startFunctionProcess({ slug: "dispatch-queue", databaseUrl: database.url, environment });
  const { baseUrl } = provider;
  const tenant = await createTenant(database.admin, { baseUrl });
  await createOperator(database.admin, tenant.workspaceId, { name: "Bia", email: operatorEmail });
  await createAgent(database.admin, tenant.instanceId);
  await assignConversations(database.url, tenant, { operatorEmail, count });
  await receiveMessages(database.url, tenant, { round: 1, count });
  assertEquals(await countOutbox(database.admin), { assignment_email: count, agent_reply: count });

  for (let killed = 0; killed < kills; killed++) {
    // The second message arrives while killed dispatchers hold claims on answers to the first one.
    if (killed === 1) await receiveMessages(database.url, tenant, { round: 2, count });
    await letTimePass(database.admin, leaseSeconds);
    await using dispatcher = await startDispatcher();
    await using cron = startDispatchCron(dispatcher.url, 2);
    await delay(random.between(0, 800));
    await dispatcher.kill();
    await cron.stop();
  }
  isFaulty = false;
  let revived = 0;
  // Again where the last dispatcher that was killed had made a row's last try.
  for (let dead = await reviveDeadRows(database.url), isFirst = true; isFirst || dead > 0;) {
    isFirst = false;
    revived += dead;
    await letTimePass(database.admin, 7_300);
    await using dispatcher = await startDispatcher();
    await using cron = startDispatchCron(dispatcher.url, 2);
    await waitUntil(async () => await isAllDone(database.admin), {
      timeoutMs: 120_000,
      intervalMs: 100,
      what: "the outbox to be done",
    });
    await cron.stop();
    dead = await reviveDeadRows(database.url);
  }

  const emailIds = await database.admin<{ id: string }[]>`
    select id from messaging.outbox where kind = 'assignment_email' order by id`;
  assertEquals([...mail.emails.keys()].sort(), emailIds.map(({ id }) => id), "one e-mail each");
  const answers = await readAnswers(database.admin);
  for (const ofContact of Map.groupBy(answers, ({ phone }) => phone).values()) {
    assert(ofContact.length <= rounds, `${ofContact.length} answers to ${rounds} messages`);
  }
  const received = Map.groupBy(provider.requests, ({ json }) => String(json["phone"]));
  for (const [phone, ofContact] of Map.groupBy(answers, ({ phone }) => phone)) {
    const sent = ofContact.filter(({ status }) => status === "sent").length;
    const times = received.get(phone)?.length ?? 0;
    assert(times >= sent && times <= ofContact.length, `${sent} sent, received ${times} times`);
  }
  assertEquals(await countUnanswered(database.admin), 0, "every contact's last message");
  printFigures("killed outbox", {
    ...{ seed: random.seed, kills, revived },
    ...{ assignments: count, emails: mail.emails.size, mailCalls: mail.calls() },
    ...{ inbound: count * rounds, answers: answers.length, modelCalls: model.requests.length },
    unconfirmed: answers.filter(({ status }) => status === "unconfirmed").length,
  });
});

/** Lists the dead rows and retries them through admin-api, as a person would. */
async function reviveDeadRows(databaseUrl: string): Promise<number> {
  await using admin = await startFunctionProcess({ slug: "admin-api", databaseUrl });
  const headers = { apikey: secretKey, "content-type": "application/json" };
  const page = await fetch(`${admin.url}/outbox?status=dead&limit=100`, { headers });
  const { items } = await page.json();
  for (const { outboxId } of items) {
    const retried = await fetch(`${admin.url}/outbox/${outboxId}/retry`, {
      method: "POST",
      headers,
      body: "{}",
    });
    assertEquals([retried.status, (await retried.json()).status], [200, "pending"]);
  }
  return items.length;
}

async function isAllDone(admin: Sql): Promise<boolean> {
  const [row] = await admin<{ pending: number }[]>`
    select count(*)::integer as pending from messaging.outbox where status = 'pending'`;
  return row?.pending === 0 && await countOpen(admin) === 0;
}

async function countOutbox(admin: Sql): Promise<Record<string, number>> {
  const rows = await admin<{ kind: string; count: number }[]>`
    select kind, count(*)::integer as count from messaging.outbox group by kind`;
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

async function readAnswers(admin: Sql): Promise<readonly { phone: string; status: string }[]> {
  return await admin<{ phone: string; status: string }[]>`
    select c.phone, m.status
    from messaging.messages m join messaging.contacts c on c.id = m.contact_id
    where m.direction = 'outbound' and m.sent_by = 'ai_agent'`;
}

/** Contacts with a message that was not counted as a question, or whose last one was not answered. */
async function countUnanswered(admin: Sql): Promise<number> {
  const [row] = await admin<{ count: number }[]>`
    select count(*)::integer as count
    from messaging.conversations c left join messaging.agent_sessions s on s.conversation_id = c.id
    where c.question_count <> (
      select count(*) from messaging.messages m
      where m.conversation_id = c.id and m.direction = 'inbound'
    ) or c.question_count <> coalesce(s.answered_count, 0)`;
  return row?.count ?? 0;
}
