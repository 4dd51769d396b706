/** The simulator tells what is said while another responder of the number holds the conversation. */
import { readWhatsappCloudEvents } from "../../../shared/providers/whatsapp_cloud/events.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { startSimulator } from "./simulator_server.ts";

Deno.test("a customer's message in standby is told as standby, one level deeper, and of the official channel alone", async () => {
  await using server = startSimulator();
  const bodies: unknown[] = [];
  await using receiver = startTestServer(async (request) => {
    if (request.method === "POST") bodies.push(await request.json());
    return new Response(new URL(request.url).searchParams.get("hub.challenge"));
  });
  const webhook = { provider: "whatsapp_cloud", appSecret: "s", verifyToken: "t" };
  await server.post("/webhooks", { ...webhook, instance: "1", url: receiver.origin });
  const said = { waId: "5511988887777", content: { messageType: "text", text: "STOP" } };
  const reply = { provider: "whatsapp_cloud", instance: "1", isStandby: true, ...said };
  assertEquals((await server.post("/replies", reply)).status, 201);
  await waitUntil(() => bodies.length === 1, { what: "the webhook" });
  const [event] = [...readWhatsappCloudEvents(bodies[0])].filter((one) => one !== undefined);
  assert(event?.kind === "message");
  assertEquals([event.message, event.address, event.isStandby], ["STOP", "5511988887777", true]);
  for (const other of [{ provider: "zapi" }, { writtenBy: "company" }]) {
    assertEquals((await server.post("/replies", { ...reply, ...other })).status, 400);
  }
});
