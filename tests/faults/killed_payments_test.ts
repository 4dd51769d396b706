import { assert, assertEquals } from "../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import type { DoubleRequest } from "../support/doubles/http_double.ts";
import { type SlowProvider, startSlowProvider } from "../support/doubles/slow_provider.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { callUntilAnswered } from "../support/stack/sender_calls.ts";
import { type ServeProcess, startServe } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";

const timeoutMs = 120_000;

/**
 * When the process is killed: while the channel keeps its answer back, so many milliseconds after the channel has
 * the request, which is about its answer, and when the request is recorded as sent.
 */
const moments = ["unanswered", 40, 55, 70, 90, 120, "recorded"] as const;
const answersAfterMs = 50;

interface World {
  readonly database: TestDatabase;
  readonly provider: SlowProvider;
  readonly service: ServeProcess;
  readonly tenant: Tenant;
}

interface Outcome {
  readonly status: string;
  readonly code: string;
  readonly codes: number;
  readonly codeStatus: string | null;
}

function bodyOf(reference: string): Record<string, unknown> {
  return {
    ...{ phone: "5511988887777", messageType: "payment_request", message: `Pedido ${reference}` },
    payment: {
      ...{ reference, amount: "10.00" },
      pix: { key: "12345678909", keyType: "cpf", merchantName: "Loja", merchantCity: "Recife" },
    },
  };
}

/** Sends a request, and kills the process that sends it at this moment. */
async function killAfterRequest(
  { database, service, provider, tenant }: World,
  reference: string,
  moment: typeof moments[number],
): Promise<void> {
  await waitUntil(
    () => service.logged("service_started").length === service.logged("process_died").length + 2,
    { timeoutMs, what: "a second process" },
  );
  const opened = service.logged("port_opened");
  const url = `${service.origin}/functions/v1/send-message`;
  const held = moment === "unanswered" ? provider.holdNext() : Promise.resolve();
  const sending = callUntilAnswered({ url }, tenant, reference, bodyOf(reference));
  await waitUntil(
    () => wordsOf(provider).some((words) => words.startsWith(`Pedido ${reference}\n`)),
    {
      timeoutMs,
      intervalMs: 2,
      what: "the request at the channel",
    },
  );
  await held;
  if (moment === "recorded") {
    await waitUntil(async () => {
      const sent = await database.admin`
        select from messaging.payments p join messaging.messages m on m.id = p.message_id
        where p.reference = ${reference} and m.status = 'sent'`;
      return sent.length === 1;
    }, { timeoutMs, intervalMs: 5, what: "the request as sent" });
  } else if (moment !== "unanswered") {
    await new Promise((resolve) => setTimeout(resolve, moment));
  }
  Deno.kill(Number(opened.at(-1)?.["pid"]), "SIGKILL");
  provider.release();
  await waitUntil(() => service.logged("port_opened").length > opened.length, {
    timeoutMs,
    what: "the process that takes its place",
  });
  await sending;
}

/** The texts that the channel was called with, in their order. */
function wordsOf({ requests }: SlowProvider): string[] {
  return requests.map(({ json }: DoubleRequest) =>
    String((json as { message?: string } | undefined)?.message)
  );
}

/** What has become of a request and of its code, once neither is on its way. */
function readOutcome({ database }: World, reference: string): Promise<Outcome> {
  return waitUntil(async () => {
    await letTimePass(database.admin, 10);
    const [row] = await database.admin<Outcome[]>`
      select m.status, m.content->'payment'->>'pixCode' as code, c.status as "codeStatus",
        (select count(*)::integer from messaging.messages o
          where o.message = m.content->'payment'->>'pixCode') as codes
      from messaging.payments p
      join messaging.messages m on m.id = p.message_id
      left join messaging.messages c on c.id = p.code_message_id
      where p.reference = ${reference}`;
    const isOver = row !== undefined &&
      [row.status, row.codeStatus].every((status) => status !== "sending" && status !== "queued");
    return isOver && row;
  }, { timeoutMs, intervalMs: 500, what: `the outcome of ${reference}` });
}

Deno.test("a process killed between a payment request and its code neither loses the code, nor sends it twice or before", async () => {
  await using database = await createTestDatabase();
  await using provider = startSlowProvider(() => answersAfterMs);
  const tenant = await createTenant(database.admin, { baseUrl: provider.baseUrl });
  await using service = await startServe({
    args: ["--processes", "2"],
    environment: { DATABASE_URL: database.url, PROVIDER_TIMEOUT_MS: "2000" },
  });
  const world = { database, provider, service, tenant };
  const seen: string[] = [];
  for (const [round, moment] of moments.entries()) {
    const reference = `kill-${round}`;
    await killAfterRequest(world, reference, moment);
    const { status, code, codes, codeStatus } = await readOutcome(world, reference);
    const words = wordsOf(provider);
    const calls = words.filter((text) => text === code).length;
    seen.push(`${moment}: ${status}, code ${codeStatus ?? "none"}`);
    assert(["sent", "unconfirmed"].includes(status), status);
    if (moment === "unanswered") assertEquals(status, "unconfirmed");
    if (moment === "recorded") assertEquals(status, "sent");
    assertEquals(words.filter((text) => text.startsWith(`Pedido ${reference}\n`)).length, 1);
    // One message of the code for a request that is known to have left, called once; none for another one.
    assertEquals(codes, status === "sent" ? 1 : 0, seen.at(-1));
    if (status !== "sent") {
      assertEquals(calls, 0);
      continue;
    }
    // What was being called when the process died is in doubt, and not called again.
    assert(codeStatus === "sent" ? calls === 1 : codeStatus === "unconfirmed" && calls <= 1);
    if (calls === 0) continue;
    assert(words.indexOf(code) > words.findIndex((text) => text.startsWith(`Pedido ${reference}`)));
  }
});
