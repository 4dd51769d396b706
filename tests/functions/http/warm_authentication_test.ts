/** Calls of a client that the process remembers: the transaction that records them authenticates them. */

import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import type { Database } from "../../../shared/database/database.ts";
import type { RequestOf, ResultOf, RpcName } from "../../../shared/database/rpcs.ts";
import { toDatabaseError } from "../../../shared/database/sqlstates.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assertEquals, assertMatch } from "../../support/assert.ts";
import { keepAllowances } from "../../support/database/allowances.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createToken, type Tenant, testVault } from "../../support/fixtures/tenant.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { callApp } from "../../support/stack/app_calls.ts";

const text = { phone: "5511987654321", messageType: "text", message: "Olá" };

/** One process of send-message, with the names of the SQL functions that it calls. */
interface Process {
  readonly rpcNames: RpcName[];
  /** Sends, and gives the status, what the rate limit says remains, and the error. */
  send(body?: object, headers?: Readonly<Record<string, string>>): Promise<readonly unknown[]>;
}

/** A call's result in place of the database's; undefined lets the call through. */
type Interfere = (name: RpcName) => Promise<never> | undefined;

function startProcess(
  stack: MessagingStack,
  tenant: Tenant,
  interfere: Interfere = () => undefined,
): Process {
  const rpcNames: RpcName[] = [];
  const database: Database = {
    rpc<Name extends RpcName>(name: Name, request: RequestOf<Name>): Promise<ResultOf<Name>> {
      rpcNames.push(name);
      return interfere(name) ?? stack.database.rpc(name, request);
    },
    close: () => Promise.resolve(),
  };
  const app = createSendMessageApp({ ...stack.services, database });
  return {
    rpcNames,
    send: async (body = text, headers = {}) => {
      await keepAllowances(stack.admin);
      const response = await callApp(app, "/send-message", {
        method: "POST",
        headers: {
          "X-Client-Token": tenant.token,
          "Content-Type": "application/json",
          ...headers,
        },
        body: JSON.stringify({ instanceId: tenant.instanceId, ...body }),
      });
      const { error = null } = await response.json();
      const [, remaining = null] = /;r=(\d+);/.exec(response.headers.get("ratelimit") ?? "") ?? [];
      return [response.status, remaining, error];
    },
  };
}

async function startWarm(
  interfere?: Interfere,
): Promise<{ stack: MessagingStack; tenant: Tenant; process: Process }> {
  const stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await limit(stack, 10);
  const process = startProcess(stack, tenant, interfere);
  assertEquals(await process.send(), [200, "9", null]);
  assertEquals(process.rpcNames.splice(0), [
    "authenticate_client",
    "accept_message",
    "settle_messages",
  ]);
  return { stack, tenant, process };
}

async function limit(stack: MessagingStack, requestsPerMinute: number | null): Promise<void> {
  await stack.admin`update messaging.instances set requests_per_minute = ${requestsPerMinute}`;
}

async function countMessages(stack: MessagingStack): Promise<number> {
  return (await stack.admin`select from messaging.messages`).length;
}

Deno.test("a warm send makes two round trips, counts against the limit and notes the token's use", async () => {
  const { stack, tenant, process } = await startWarm();
  await using _stack = stack;
  await letTimePass(stack.admin, 61);
  assertEquals(await process.send(), [200, "9", null]);
  assertEquals(await process.send(), [200, "8", null]);
  assertEquals(process.rpcNames, [
    ...["accept_message", "settle_messages"],
    ...["accept_message", "settle_messages"],
  ]);
  const [token] = await stack.admin`
    select last_used_at > clock_timestamp() - interval '30 seconds' as is_noted
    from messaging.client_tokens where id = ${tenant.tokenId}`;
  assertEquals([token?.["is_noted"], stack.provider.requests.length], [true, 3]);
});

const bodies: readonly object[] = [
  text,
  { ...text, queued: true },
  { ...text, delayMessage: 60 },
  { ...text, sentBy: "ai_agent" },
  { phone: "1" },
];

for (
  const [name, change] of [
    ["revoked", "revoked_at = clock_timestamp()"],
    ["expired", "expires_at = clock_timestamp()"],
    ["deleted", null],
  ] as const
) {
  Deno.test(`a token that is ${name} between two calls is refused at the next one, whatever it asks`, async () => {
    for (const body of bodies) {
      const { stack, process } = await startWarm();
      await using _stack = stack;
      await stack.admin.unsafe(
        change === null
          ? "delete from messaging.client_tokens"
          : `update messaging.client_tokens set ${change}`,
      );
      assertEquals(await process.send(body), [401, null, "invalid_client_token"]);
      assertEquals(process.rpcNames.at(-1), "authenticate_client");
      process.rpcNames.length = 0;
      assertEquals(await process.send(body), [401, null, "invalid_client_token"]);
      assertEquals(process.rpcNames, ["authenticate_client"], "it is remembered no longer");
      assertEquals([await countMessages(stack), stack.provider.requests.length], [1, 1]);
    }
  });
}

Deno.test("a token that may no longer send is refused at the next call, whatever it asks; the call counts", async () => {
  for (const body of bodies) {
    const { stack, process } = await startWarm();
    await using _stack = stack;
    await stack.admin`update messaging.client_tokens set scopes = '{history,events}'`;
    assertEquals(await process.send(body), [403, "8", "insufficient_scope"]);
    assertEquals(process.rpcNames.at(-1), "authenticate_client");
    assertEquals(await process.send(body), [403, "7", "insufficient_scope"]);
    assertEquals([await countMessages(stack), stack.provider.requests.length], [1, 1]);
    await stack.admin`update messaging.client_tokens set scopes = '{send}'`;
    assertEquals(await process.send(), [200, "6", null]);
    process.rpcNames.length = 0;
    assertEquals(await process.send(), [200, "5", null]);
    assertEquals(process.rpcNames, ["accept_message", "settle_messages"]);
  }
});

Deno.test("of sends at the same moment, only those whose token may send go out", async () => {
  const { stack, tenant, process } = await startWarm();
  await using _stack = stack;
  const other = await createToken(stack.admin, tenant.instanceId);
  const narrowed = startProcess(stack, { ...tenant, token: other.token });
  assertEquals((await narrowed.send())[0], 200);
  await stack.admin`
    update messaging.client_tokens set scopes = '{events}' where id = ${other.tokenId}`;
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? process : narrowed).send()),
  );
  assertEquals(
    answers.map(([status]) => status),
    answers.map((_, index) => index % 2 === 0 ? 200 : 403),
  );
  assertEquals([await countMessages(stack), stack.provider.requests.length], [8, 8]);
});

Deno.test("new credentials are used by the next call, and the old ones by none", async () => {
  const { stack, tenant, process } = await startWarm();
  await using _stack = stack;
  const config = {
    ...{ baseUrl: stack.provider.baseUrl, gatewayInstanceId: tenant.gatewayInstanceId },
    ...{ token: "rotated", clientToken: "zapi-secret-client", webhookSecret: "hook-secret-value" },
  };
  const sealedProviderConfig = await testVault.seal(config, tenant.instanceId);
  await stack.database.rpc("update_instance", {
    instanceId: tenant.instanceId,
    changes: { sealedProviderConfig, gatewayInstanceId: tenant.gatewayInstanceId },
  });
  assertEquals(await process.send(), [200, "8", null]);
  assertEquals(process.rpcNames, [
    ...["accept_message", "authenticate_client", "accept_message", "settle_messages"],
  ]);
  const tokens = stack.provider.requests.map(({ path }) => /token\/([^/]+)\//.exec(path)?.[1]);
  assertEquals(tokens, ["zapi-secret-token", "rotated"]);
  assertEquals(await countMessages(stack), 2);
});

Deno.test("an instance's new name is known at once, and its old one no longer", async () => {
  const { stack, tenant, process } = await startWarm();
  await using _stack = stack;
  const old = { ...text, instanceId: tenant.businessInstanceId };
  assertEquals(await process.send(old), [200, "8", null]);
  await stack.database.rpc("update_instance", {
    instanceId: tenant.instanceId,
    changes: { businessInstanceId: "new-name" },
  });
  assertEquals(await process.send(old), [404, "7", "Instance not found"]);
  assertEquals(await process.send({ ...text, instanceId: "new-name" }), [200, "6", null]);
});

Deno.test("the limit ends exactly, for every kind of call", async () => {
  for (const body of bodies.slice(0, 4)) {
    const { stack, process } = await startWarm();
    await using _stack = stack;
    await limit(stack, 3);
    await stack.admin`delete from messaging.rate_limits`;
    const answers = [];
    for (let call = 0; call < 5; call++) answers.push(await process.send(body));
    assertEquals(answers, [
      ...["2", "1", "0"].map((remaining) => [200, remaining, null]),
      ...Array.from({ length: 2 }, () => [429, "0", "rate_limited"]),
    ]);
    assertEquals(await countMessages(stack), 4);
  }
});

Deno.test("a warm call above the limit says when to come back, and uses nothing", async () => {
  const { stack, tenant, process } = await startWarm();
  await using _stack = stack;
  await limit(stack, 1);
  await stack.admin`delete from messaging.rate_limits`;
  await process.send();
  const { status, headers } = await stack.send(tenant, text);
  assertEquals([status, headers.get("ratelimit-policy")], [429, '"send-message";q=1;w=60']);
  assertMatch(headers.get("retry-after") ?? "", /^(?:[1-5]\d|60)$/);
  await letTimePass(stack.admin, 60);
  assertEquals(await process.send(), [200, "0", null]);
});

Deno.test("two processes share one limit, and each notices what happened to the other's client", async () => {
  const { stack, tenant, process: one } = await startWarm();
  await using _stack = stack;
  const two = startProcess(stack, tenant);
  assertEquals(await two.send(), [200, "8", null]);
  assertEquals([await one.send(), await two.send()], [[200, "7", null], [200, "6", null]]);
  await limit(stack, 5);
  await stack.admin`delete from messaging.rate_limits`;
  const answers = await Promise.all([one, two, one, two, one, two, one, two].map((p) => p.send()));
  assertEquals(answers.map(([status]) => status).sort(), [
    ...Array.from({ length: 5 }, () => 200),
    ...Array.from({ length: 3 }, () => 429),
  ]);
  await stack.admin`update messaging.client_tokens set revoked_at = clock_timestamp()`;
  assertEquals([(await one.send())[0], (await two.send())[0]], [401, 401]);
});

Deno.test("a faulty body and a refused call are counted and say what remains, as those of a cold client", async () => {
  const { stack, process } = await startWarm();
  await using _stack = stack;
  assertEquals(await process.send({ phone: "1" }), [400, "8", "invalid_phone"]);
  assertEquals(await process.send({ ...text, instanceId: "another" }), [
    ...[404, "7", "Instance not found"],
  ]);
  assertEquals(await process.send({ ...text, assignTo: "nobody@example.com" }), [
    ...[404, "6", "operator_not_found"],
  ]);
  await stack.admin`update messaging.contacts set is_blocked = true`;
  assertEquals(await process.send(), [409, "5", "contact_blocked"]);
  assertEquals(await process.send({ ...text, queued: true }), [409, "4", "contact_blocked"]);
});

Deno.test("a repeated call of a warm client is counted and gets the first answer", async () => {
  const { stack, process } = await startWarm();
  await using _stack = stack;
  const key = { "Idempotency-Key": "k" };
  assertEquals(await process.send(text, key), [200, "8", null]);
  assertEquals(await process.send(text, key), [200, "7", null]);
  assertEquals(await process.send({ ...text, message: "Tchau" }, key), [
    ...[422, "6", "idempotency_key_reused"],
  ]);
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("a warm call whose outcome is unknown is not made again", async () => {
  let isCut = false;
  const { stack, process } = await startWarm((name) =>
    isCut && name === "accept_message"
      ? Promise.reject(new AppError("service_unavailable"))
      : undefined
  );
  await using _stack = stack;
  isCut = true;
  assertEquals(await process.send(), [503, null, "service_unavailable"]);
  assertEquals(process.rpcNames, ["accept_message"]);
});

for (const code of ["XX000", "58030", "40003", "no_code"]) {
  Deno.test(`a warm call that fails with ${code}, which leaves open whether it was committed, is not made again`, async () => {
    let isCut = false;
    const { stack, process } = await startWarm((name) =>
      isCut && name === "accept_message"
        ? Promise.reject(toDatabaseError(name, code === "no_code" ? undefined : code))
        : undefined
    );
    await using _stack = stack;
    isCut = true;
    assertEquals(await process.send(), [500, null, "internal_error"]);
    assertEquals(process.rpcNames, ["accept_message"]);
  });
}

Deno.test("a warm call that fails with a defect that rolls it back is counted, as that of a cold client", async () => {
  let isCut = false;
  const { stack, process } = await startWarm((name) =>
    isCut && name === "accept_message" ? Promise.reject(toDatabaseError(name, "22P02")) : undefined
  );
  await using _stack = stack;
  isCut = true;
  assertEquals(await process.send(), [500, "8", "internal_error"]);
  assertEquals(process.rpcNames, ["accept_message", "authenticate_client", "accept_message"]);
});

Deno.test("an instance without a limit has none when its client is warm", async () => {
  const { stack, process } = await startWarm();
  await using _stack = stack;
  await limit(stack, null);
  for (const body of [text, text, { ...text, queued: true }]) {
    assertEquals(await process.send(body), [200, null, null]);
  }
});
