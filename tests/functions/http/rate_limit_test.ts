import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { createToken, type Tenant } from "../../support/fixtures/tenant.ts";
import { keepAllowances } from "../../support/database/allowances.ts";
import { letTimePass } from "../../support/database/time_travel.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };

Deno.test("fifty simultaneous calls under a limit of three: three pass, the others are told when to come back", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createLimitedTenant(stack, 3);
  const answers = await Promise.all(Array.from({ length: 50 }, () => stack.send(tenant, text)));
  const refused = answers.filter(({ status }) => status === 429);
  assertEquals([answers.filter(({ status }) => status === 200).length, refused.length], [3, 47]);
  for (const { body, headers } of refused) {
    assertEquals(body.error, "rate_limited");
    assertMatch(headers.get("retry-after") ?? "", /^(?:[1-9]|1\d|20)$/);
    assertMatch(headers.get("ratelimit") ?? "", /^"send-message";r=0;t=(?:4\d|5\d|60)$/);
  }
  const [stored] = await stack.admin`select count(*)::int as count from messaging.messages`;
  assertEquals([stored?.["count"], stack.provider.requests.length], [3, 3]);
});

Deno.test("every answer to a token says its policy and what remains, refusals of the body too", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createLimitedTenant(stack, 6);
  const remaining: string[] = [];
  for (const body of [text, { phone: "1" }, { ...text, instanceId: "unknown" }]) {
    await keepAllowances(stack.admin);
    const { headers } = await stack.send(tenant, body);
    assertEquals(headers.get("ratelimit-policy"), '"send-message";q=6;w=60');
    remaining.push(
      /^"send-message";r=(\d+);t=[1-3]\d?$/.exec(headers.get("ratelimit") ?? "")?.[1] ?? "",
    );
  }
  assertEquals(remaining, ["5", "4", "3"]);
});

Deno.test("an allowance comes back evenly, and is whole again after a minute at the latest", async () => {
  await using stack = await startMessagingStack();
  // Half a minute is left for a slow machine, until one more comes back.
  const tenant = await createLimitedTenant(stack, 2);
  const countPassed = async (calls: number): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: calls }, () => read(stack, tenant)));
    return answers.filter(({ status }) => status === 200).length;
  };
  assertEquals(await countPassed(4), 2);
  await letTimePass(stack.admin, 30);
  assertEquals(await countPassed(4), 1);
  await letTimePass(stack.admin, 60);
  assertEquals(await countPassed(4), 2);
});

Deno.test("an allowance that was used up before the clock was set back is whole again, and no more than that", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createLimitedTenant(stack, 2);
  const countPassed = async (calls: number): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: calls }, () => read(stack, tenant)));
    return answers.filter(({ status }) => status === 200).length;
  };
  assertEquals(await countPassed(3), 2);
  await letTimePass(stack.admin, -3_600);
  assertEquals(await countPassed(6), 2);
});

Deno.test("a limit counts by token and by function, and a refused call uses nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createLimitedTenant(stack, 1);
  const neighbour = await createLimitedTenant(stack, 1);
  const second = { ...tenant, ...await createToken(stack.admin, tenant.instanceId) };
  assertEquals((await read(stack, tenant)).status, 200);
  for (let call = 0; call < 3; call++) assertEquals((await read(stack, tenant)).status, 429);
  assertEquals((await stack.send(tenant, text)).status, 200, "another function");
  assertEquals((await read(stack, second)).status, 200, "another token of the instance");
  assertEquals((await read(stack, neighbour)).status, 200, "another instance");
  await letTimePass(stack.admin, 60);
  assertEquals((await read(stack, tenant)).status, 200);
});

Deno.test("no limit is told where the instance sets none, and nothing is stored for it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createLimitedTenant(stack, null);
  const { status, headers } = await read(stack, tenant);
  assertEquals([status, headers.get("ratelimit"), headers.get("ratelimit-policy")], [
    200,
    null,
    null,
  ]);
  assertEquals((await stack.admin`select 1 from messaging.rate_limits`).length, 0);
});

Deno.test("an unknown token costs nobody's allowance and no row", async () => {
  await using stack = await startMessagingStack();
  const tenant = await createLimitedTenant(stack, 1);
  const stranger = await stack.send({ ...tenant, token: "mia_unknown" }, text);
  assertEquals([stranger.status, stranger.headers.get("ratelimit")], [401, null]);
  assertEquals((await stack.admin`select 1 from messaging.rate_limits`).length, 0);
});

Deno.test("webhooks and the dispatcher are not counted: they carry no client token", async () => {
  await using stack = await startMessagingStack();
  await createLimitedTenant(stack, 1);
  await stack.dispatch();
  assert((await stack.admin`select 1 from messaging.rate_limits`).length === 0);
});

async function createLimitedTenant(
  stack: MessagingStack,
  requestsPerMinute: number | null,
): Promise<Tenant> {
  const tenant = await stack.createTenant();
  await stack.admin`
    update messaging.instances set requests_per_minute = ${requestsPerMinute}
    where id = ${tenant.instanceId}`;
  return tenant;
}

function read(stack: MessagingStack, tenant: Tenant): Promise<Answer> {
  return stack.messages(tenant, "GET", "/queue?instanceId=" + tenant.instanceId);
}
