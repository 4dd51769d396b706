import { assertEquals } from "../../support/assert.ts";
import { answerUnknown } from "../../support/doubles/http_double.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";

const phone = "5511977776666";

Deno.test("block and unblock change isBlocked and ask the channel, each in its words", async () => {
  await using stack = await startMessagingStack();
  for (const provider of ["zapi", "evolution", "whatsapp_cloud"] as const) {
    const tenant = await stack.createTenant({ provider });
    for (const action of ["block", "unblock"] as const) {
      stack.provider.requests.length = 0;
      const list = action === "block" ? "added_users" : "removed_users";
      stack.provider.answer = () =>
        provider === "whatsapp_cloud"
          ? Response.json({ block_users: { [list]: [{ input: `+${phone}`, wa_id: phone }] } })
          : Response.json({ value: true, block: "success" }, { status: 201 });
      const { status, body } = await change(stack, tenant, action, { phone });
      const isBlocked = action === "block";
      assertEquals([status, body.isBlocked, body.channel], [200, isBlocked, `${action}ed`]);
      assertEquals(await isBlockedHere(stack, tenant), isBlocked);
      const [call] = stack.provider.requests;
      assertEquals(
        [call?.method, call?.json],
        {
          zapi: ["POST", { phone, action }],
          evolution: ["POST", { number: phone, status: action }],
          whatsapp_cloud: [isBlocked ? "POST" : "DELETE", {
            messaging_product: "whatsapp",
            block_users: [{ user: `+${phone}` }],
          }],
        }[provider],
      );
    }
    const events = await stack.admin`
      select type from messaging.events where instance_id = ${tenant.instanceId}
      order by sequence`;
    assertEquals(events.map((event) => event["type"]), ["contact.created", "contact.updated"]);
  }
});

Deno.test("on the official channel the lists in the answer decide, not the status", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const person = { input: `+${phone}`, wa_id: phone };
  const error = { code: 139100, message: "Failed to block some users" };
  const reasons = [{ code: 131021, message: "Re-engagement message" }];
  const cases: [unknown, number, string, string?][] = [
    [{ error, block_users: { added_users: [person] } }, 400, "blocked"],
    [
      { block_users: { failed_users: [{ ...person, errors: reasons }] } },
      ...[200, "refused", "131021"] as const,
    ],
    [{ error, block_users: { failed_users: [person] } }, 400, "refused", "139100"],
    [
      { error: { ...error, error_data: { block_users: { added_users: [person] } } } },
      400,
      "blocked",
    ],
    [{ error: { code: 139101, message: "Limit" } }, 400, "refused", "139101"],
    [{ messaging_product: "whatsapp" }, 200, "refused", "outcome_unknown"],
  ];
  for (const [answer, status, channel, code] of cases) {
    stack.provider.answer = () => Response.json(answer, { status });
    const { body } = await change(stack, tenant, "block", { phone });
    assertEquals([body.isBlocked, body.channel, body.details?.code], [true, channel, code]);
  }
});

Deno.test("a channel that cannot block, refuses or is lost leaves the person blocked here, and says so", async () => {
  await using stack = await startMessagingStack();
  const evolution = await stack.createTenant({ provider: "evolution" });
  const zapi = await stack.createTenant();
  const cases: [Tenant, () => Response, string, string?][] = [
    [evolution, () => refuse("Method not available on WhatsApp Business API"), "not_supported"],
    [evolution, () => refuse("Error: Connection Closed"), "refused", "http_400"],
    [zapi, () => Response.json({ value: false }), "refused", "not_changed"],
    [zapi, answerUnknown, "refused", "outcome_unknown"],
  ];
  for (const [tenant, respond, channel, code] of cases) {
    stack.provider.answer = respond;
    const { status, body } = await change(stack, tenant, "block", { phone });
    assertEquals([status, body.channel, body.details?.code], [200, channel, code]);
    assertEquals(await isBlockedHere(stack, tenant), true);
  }
  const send = await stack.send(zapi, { phone, messageType: "text", message: "Oi" });
  assertEquals(send.body.error, "contact_blocked");
});

Deno.test("a block of nobody or of two is refused and asks no channel", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const contactId = crypto.randomUUID();
  for (
    const [target, status] of [
      [{}, 400],
      [{ phone, contactId }, 400],
      [{ phone: "12" }, 400],
      [{ contactId }, 404],
    ] as const
  ) assertEquals((await change(stack, tenant, "block", target)).status, status);
  assertEquals(stack.provider.requests.length, 0);
});

function change(
  stack: MessagingStack,
  tenant: Tenant,
  action: "block" | "unblock",
  body: unknown,
): Promise<Answer> {
  return stack.request(`/contacts-api/${action}`, {
    method: "POST",
    headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function isBlockedHere({ admin }: MessagingStack, tenant: Tenant): Promise<unknown> {
  const [contact] = await admin`
    select is_blocked from messaging.contacts where instance_id = ${tenant.instanceId}`;
  return contact?.["is_blocked"];
}

function refuse(words: string): Response {
  return Response.json({ status: 400, error: "Bad Request", response: { message: [words] } }, {
    status: 400,
  });
}
