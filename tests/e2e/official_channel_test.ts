/** What the official channel refuses, seen through the API: the simulator is as strict as Meta. */
import { assertEquals, assertMatch } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  secretKey,
  type StackAnswer,
  type StackInstance,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import {
  officialNumber,
  postToSimulator,
  registerOfficialWebhook,
  writeToOfficialNumber,
} from "../support/fixtures/official_customer.ts";
import { waitUntil } from "../support/wait_until.ts";

const bearer = { Authorization: `Bearer ${officialNumber.accessToken}` };

interface OfficialStack {
  readonly stack: LocalStack;
  readonly tenant: StackInstance;
  readonly workspaceId: string;
}

async function withOfficialInstance(check: (world: OfficialStack) => Promise<void>): Promise<void> {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  const { workspaceId } = await stack.administer("workspaces", { name: "Oficial" });
  const tenant = await stack.createInstance({
    workspaceId,
    provider: "whatsapp_cloud",
    providerConfig: { ...officialNumber, baseUrl: `${stack.origin}/simulator/graph` },
  });
  await check({ stack, tenant, workspaceId });
}

function sendText({ stack, tenant }: OfficialStack, phone: string): Promise<StackAnswer> {
  const { instanceId } = tenant;
  const content = { messageType: "text", message: "Olá" };
  return stack.call(tenant, "send-message", { instanceId, phone, ...content });
}

Deno.test("free text outside the customer's 24 hours ends as failed with 131047, whichever way the channel tells it", async () => {
  await withOfficialInstance(async (world) => {
    const { stack, tenant } = world;
    const readMessage = async (messageId: string): Promise<StackAnswer["body"]> =>
      (await stack.call(tenant, `messages-api/messages/${messageId}`)).body;

    const refused = await sendText(world, "5511988880001");
    assertEquals([refused.status, refused.body.error], [409, "outside_conversation_window"]);

    await registerOfficialWebhook(stack, tenant);
    const accepted = await sendText(world, "5511988880002");
    assertEquals(accepted.status, 200);
    const { messageId } = accepted.body;
    await waitUntil(async () => (await readMessage(messageId)).status === "failed", {
      what: "the failure that the channel reports",
    });
    const failed = await readMessage(messageId);
    assertEquals(failed.lastError.code, "131047");
    assertMatch(failed.lastError.message, /24 hours/);
    assertEquals(await stack.readSimulator("messages"), [], "no phone has either");

    await writeToOfficialNumber(stack, "5511988880003");
    assertEquals((await sendText(world, "5511988880003")).status, 200);
    assertEquals((await stack.readSimulator("messages?to=5511988880003")).length, 1);
  });
});

Deno.test("templates are synced from the simulated account, and sent when it knows and has approved them", async () => {
  await withOfficialInstance(async (world) => {
    const { stack, tenant, workspaceId } = world;
    const { instanceId } = tenant;
    const path = `graph/v23.0/${officialNumber.wabaId}/message_templates`;
    const created = await postToSimulator(stack, path, {
      name: "visita",
      language: "pt_BR",
      category: "UTILITY",
      components: [{ type: "BODY", text: "Visita em {{1}}." }],
    }, bearer);
    const review = (status: string): Promise<unknown> =>
      postToSimulator(stack, "template-reviews", { templateId: created.id, status });
    const sync = async (): Promise<Record<string, string>[]> => {
      const url = `${stack.origin}/functions/v1/admin-api/instances/${instanceId}/templates/sync`;
      const response = await fetch(url, { method: "POST", headers: { apikey: secretKey } });
      assertEquals(response.status, 200);
      return (await response.json()).items;
    };
    const send = (templateId: string): Promise<StackAnswer> =>
      stack.call(tenant, "send-template-message", {
        templateId,
        phone: "5511988880004",
        variables: { 1: "25/11" },
      });

    const items = await sync();
    assertEquals(items.map(({ name, providerStatus }) => [name, providerStatus]), [
      ["catalogo", "APPROVED"],
      ["lembrete_consulta", "APPROVED"],
      ["pedido_enviado", "APPROVED"],
      ["promocao", "PENDING"],
      ["visita", "PENDING"],
    ]);
    const visit = items.at(-1)?.["templateId"] ?? "";
    assertEquals((await send(visit)).body.error, "template_not_approved");
    await review("APPROVED");
    assertEquals((await sync()).at(-1)?.["change"], "updated");
    const sent = await send(visit);
    assertEquals([sent.status, sent.body.success], [200, true], JSON.stringify(sent.body));
    const [seen] = await stack.readSimulator("messages?to=5511988880004");
    assertEquals([seen?.["messageType"], seen?.["text"]], ["template", "Visita em 25/11."]);

    await review("PAUSED");
    const paused = await send(visit);
    assertEquals([paused.status, paused.body.error], [502, "provider_template_send_failed"]);
    assertEquals(paused.body.details.code, "132015");

    const { templateId: unknown } = await stack.administer("templates", {
      instanceId,
      workspaceId,
      name: "nunca_criado",
      language: "pt_BR",
      parameterFormat: "POSITIONAL",
      components: [{ type: "BODY", text: "Visita em {{1}}." }],
      providerStatus: "APPROVED",
      providerTemplateId: "1",
    });
    const absent = await send(unknown);
    assertEquals([absent.status, absent.body.details.code], [502, "132001"]);
  });
});
