import { assertEquals } from "../../support/assert.ts";
import { phone, startTemplateStack } from "./template_stack.ts";

const purposes = [
  // category, purpose of the call, status, purpose as stored
  ["MARKETING", undefined, 409, null],
  ["MARKETING", "service", 409, null],
  ["UTILITY", undefined, 200, "utility"],
  ["UTILITY", "service", 200, "utility"],
  ["UTILITY", "marketing", 409, null],
  ["AUTHENTICATION", undefined, 200, "authentication"],
  [null, undefined, 200, null],
  [null, "utility", 200, "utility"],
  [null, "marketing", 409, null],
] as const;

for (const provider of ["whatsapp_cloud", "zapi"] as const) {
  Deno.test(`a template's category is the purpose of its message, also for a contact that has denied marketing: ${provider}`, async () => {
    await using templates = await startTemplateStack();
    const { stack } = templates;
    const tenant = await stack.createTenant({ provider });
    await stack.database.rpc("set_contact_consent", {
      ...{ instanceId: tenant.instanceId, phone, marketing: "denied", source: "api" },
      idempotency: null,
    });
    for (const [category, purpose, status, stored] of purposes) {
      await stack.admin`delete from messaging.messages`;
      const templateId = await templates.createTemplate(tenant, { category });
      const answer = await templates.post(tenant, {
        ...{ templateId, phone },
        ...(purpose === undefined ? {} : { purpose }),
      });
      const words = `${category} ${purpose}`;
      assertEquals(answer.status, status, words);
      if (status === 409) assertEquals(answer.body.error, "contact_opted_out", words);
      const messages = await stack.admin`select purpose from messaging.messages`;
      assertEquals(messages.map((row) => row["purpose"]), status === 409 ? [] : [stored], words);
    }
  });
}
