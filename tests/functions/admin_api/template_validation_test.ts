import { assertEquals } from "../../support/assert.ts";
import { plain, ruleCases } from "../../unit/templates/submission/rule_cases.ts";
import { countRows, createAdminClient, createInstance } from "./admin_client.ts";

Deno.test("a template is validated without being stored, and faults are no error", async () => {
  await using client = await createAdminClient();
  const validate = async (template: unknown): Promise<unknown[]> => {
    const { status, body } = await client.call("POST", "/templates/validate", { body: template });
    return [status, body];
  };
  assertEquals(await validate(plain), [200, { success: true, valid: true, issues: [] }]);
  for (const { rule, wrong, path } of ruleCases) {
    const { status, body } = await client.call("POST", "/templates/validate", { body: wrong });
    assertEquals([status, body.success, body.valid], [200, true, false]);
    assertEquals(body.issues.map((issue: typeof ruleCases[number]) => [issue.rule, issue.path]), [
      [rule, path],
    ]);
  }
  assertEquals((await validate({}))[0], 200);
  assertEquals(await countRows(client, "message_templates"), 0);
});

Deno.test("with an instance, templates count that its account is known to have", async () => {
  await using client = await createAdminClient();
  const instanceId = await createInstance(client);
  const owned = { ...plain, instanceId };
  const issues = async (): Promise<unknown> =>
    (await client.call("POST", "/templates/validate", { body: owned })).body.issues;
  assertEquals(await issues(), []);
  const { templateId } = await client.create("/templates", owned);
  assertEquals(await issues(), []);
  await client.call("PATCH", `/templates/${templateId}`, {
    body: { providerStatus: "APPROVED", providerTemplateId: "5940" },
  });
  assertEquals(await issues(), [{
    path: "language",
    message: "the account has this template in this language already",
    rule: "language_exists",
    code: 2388024,
  }]);
  const { status } = await client.call("POST", "/templates/validate", {
    body: { ...plain, instanceId: crypto.randomUUID() },
  });
  assertEquals(status, 404);
});
