import { assertEquals } from "../../support/assert.ts";
import { answerUnknown } from "../../support/doubles/http_double.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";

type Json = Readonly<Record<string, unknown>>;

const phone = "5511977776666";

function control(
  { post }: MessagingStack,
  tenant: Tenant,
  body: Json,
  headers?: Readonly<Record<string, string>>,
): Promise<Answer> {
  return post(tenant, "/conversations-api/control", body, headers);
}

async function createContact(stack: MessagingStack, tenant: Tenant): Promise<string> {
  const { body } = await stack.post(tenant, "/contacts-api/create", { phone });
  return body.contactId;
}

async function listChanges(stack: MessagingStack, tenant: Tenant): Promise<unknown[]> {
  const rows = await stack.admin`
    select data from messaging.events where instance_id = ${tenant.instanceId}
      and type = 'conversation.control_changed' order by sequence`;
  return rows.map(({ data }) => [data.previous, data.handledBy, data.reason]);
}

Deno.test("take, pass and release ask the channel, and record what it has done", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const contactId = await createContact(stack, tenant);
  stack.provider.answer = () => Response.json({ success: true });
  const cases = [
    [{ phone, action: "pass", role: "ai_agent" }, "channel_agent", "us"],
    [{ contactId, action: "take" }, "us", "channel_agent"],
    [{ phone, action: "pass", role: "marketing" }, "other", "us"],
    [{ phone, action: "take" }, "us", "other"],
    [{ phone, action: "pass" }, "other", "us"],
    [{ phone, action: "take" }, "us", "other"],
    [{ phone, action: "release" }, "other", "us"],
  ] as const;
  for (const [body, handledBy, previous] of cases) {
    stack.provider.requests.length = 0;
    const answer = await control(stack, tenant, body);
    assertEquals([answer.status, answer.body], [200, {
      ...{ success: true, contactId, conversationId: answer.body.conversationId },
      ...{ handledBy, previous },
    }]);
    const [call] = stack.provider.requests;
    assertEquals([call?.method, call?.path.split("/").at(-1), call?.json], [
      "POST",
      "thread_control",
      {
        ...{ messaging_product: "whatsapp", to: phone, action: body.action },
        ...("role" in body ? { control_pass: { target_role: body.role } } : {}),
      },
    ]);
  }
  assertEquals(await listChanges(stack, tenant), [
    ["us", "channel_agent", "passed"],
    ["channel_agent", "us", "taken"],
    ["us", "other", "passed"],
    ["other", "us", "taken"],
    ["us", "other", "passed"],
    ["other", "us", "taken"],
    ["us", "other", "released"],
  ]);
});

Deno.test("a refusal of control says its code, a lost answer is unknown, and neither changes anything", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  await createContact(stack, tenant);
  const take = { phone, action: "take" };
  const refuse = (status: number, error: unknown) => () => Response.json({ error }, { status });
  const words = { message: "(#100) Invalid parameter" };
  stack.provider.answer = refuse(400, { ...words, code: 100, error_subcode: 2494191 });
  const escalation = await control(stack, tenant, take);
  assertEquals([escalation.status, escalation.body.error, escalation.body.details.code], [
    ...[409, "control_refused", "2494191"],
  ]);
  stack.provider.answer = refuse(400, { ...words, code: 100 });
  assertEquals((await control(stack, tenant, take)).body.details.code, "100");
  stack.provider.answer = refuse(400, { message: "(#80007) Rate limit issues", code: 80007 });
  const busy = await control(stack, tenant, take);
  assertEquals([busy.status, busy.body.error, busy.body.retryable], [
    ...[502, "provider_send_failed", true],
  ]);
  stack.provider.answer = () => Response.json({ success: false });
  const denied = await control(stack, tenant, take);
  assertEquals([denied.status, denied.body.error, denied.body.details.code], [
    ...[409, "control_refused", "not_successful"],
  ]);
  for (const page of ["<!doctype html>", "", "[]"]) {
    stack.provider.answer = () => new Response(page);
    const told = await control(stack, tenant, take);
    assertEquals([told.status, told.body.error], [504, "provider_outcome_unknown"], page);
  }
  stack.provider.answer = answerUnknown;
  const lost = await control(stack, tenant, take);
  assertEquals([lost.status, lost.body.error], [504, "provider_outcome_unknown"]);
  assertEquals(await listChanges(stack, tenant), []);
});

Deno.test("a repeated control with its Idempotency-Key asks the channel once, after a refusal again", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  await createContact(stack, tenant);
  const key = { "idempotency-key": crypto.randomUUID() };
  const pass = { phone, action: "pass", role: "utility" };
  stack.provider.answer = () =>
    Response.json({ error: { message: "(#100)", code: 100 } }, { status: 400 });
  assertEquals((await control(stack, tenant, pass, key)).status, 409);
  stack.provider.answer = () => Response.json({ success: true });
  const first = await control(stack, tenant, pass, key);
  assertEquals(first.status, 200);
  stack.provider.requests.length = 0;
  assertEquals((await control(stack, tenant, pass, key)).body, first.body);
  assertEquals(stack.provider.requests.length, 0);
  const other = await control(stack, tenant, { phone, action: "take" }, key);
  assertEquals(other.body.error, "idempotency_key_reused");
});

Deno.test("bad control requests are refused by field, and neither asked nor stored", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  await createContact(stack, tenant);
  const issuesOf = async (body: Json): Promise<string[]> => {
    const answer = await control(stack, tenant, body);
    assertEquals(answer.status, 400);
    return answer.body.issues.map(({ path }: { path: string }) => path);
  };
  assertEquals(await issuesOf({ phone, action: "steal" }), ["action"]);
  assertEquals(await issuesOf({ phone }), ["action"]);
  assertEquals(await issuesOf({ phone, action: "pass", role: "boss" }), ["role"]);
  assertEquals(await issuesOf({ phone, action: "take", role: "ai_agent" }), ["role"]);
  assertEquals((await issuesOf({ action: "take" })).length > 0, true);
  const unknown = await control(stack, tenant, { phone: "5511900000000", action: "take" });
  assertEquals([unknown.status, unknown.body.error], [404, "contact_not_found"]);
  const gateway = await stack.createTenant({ provider: "zapi" });
  const refused = await control(stack, gateway, { phone, action: "take" });
  assertEquals([refused.status, refused.body.error], [400, "unsupported_on_channel"]);
  assertEquals(stack.provider.requests, []);
  const created = await stack.admin`
    select from messaging.contacts where instance_id in (${tenant.instanceId}, ${gateway.instanceId})`;
  assertEquals(created.length, 1);
});
