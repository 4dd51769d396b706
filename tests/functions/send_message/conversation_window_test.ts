import { demoOfficialInstanceId } from "../../../shared/openapi/demo_fixtures.ts";
import { assertEquals } from "../../support/assert.ts";
import { createToken } from "../../support/fixtures/tenant.ts";
import { demoTarget, startService } from "../contract/service.ts";

const text = { ...demoTarget, messageType: "text", message: "Olá" };

// Specification 8, outside-window sending.
Deno.test("after 24 hours of silence only a template goes", async () => {
  await using service = await startService();
  const { token } = await createToken(service.sql, demoOfficialInstanceId);
  const send = async (phone: string): Promise<string> => {
    const response = await service.contract.request("send-message", "/send-message", {
      method: "POST",
      headers: { "X-Client-Token": token, "Content-Type": "application/json" },
      body: JSON.stringify({ ...text, instanceId: demoOfficialInstanceId, phone }),
    });
    const body = await response.json();
    return body.error ?? body.mode;
  };
  for (const [phone, hours] of [["5511966660001", 23], ["5511966660002", 25]] as const) {
    await service.sql`
      insert into messaging.contacts (instance_id, phone, identity_key, origin, last_inbound_at)
      values (${demoOfficialInstanceId}, ${phone}, ${phone}, 'api',
        now() - make_interval(hours => ${hours}))`;
  }
  assertEquals(await send("5511966660001"), "sent");
  assertEquals(await send("5511966660002"), "outside_conversation_window");
});
