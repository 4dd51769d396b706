/** The words of a batch can be looked at before anything leaves. */

import { assertEquals } from "../../support/assert.ts";
import { insertTemplate } from "../../support/fixtures/approved_template.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  greeting,
  listRecipients,
  phoneOf,
  readBatch,
} from "../../support/fixtures/batch_calls.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

Deno.test("a dry run shows the filled texts of the first ten who get a message, of a stored batch and of one that is not", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const list = listRecipients(13);
  const recipients = [{ ...list[0], variables: { nome: "Lia" } }, ...list.slice(1)];
  const body = { message: greeting, validation: "permissive", recipients };
  const expected = Array.from({ length: 10 }, (_, place) => ({
    index: place + 1,
    message: `Oi Pessoa ${place + 1}: C${place + 1}`,
  }));
  const unsaved = await callBatches(stack, tenant, "POST", "/batches", { ...body, dryRun: true });
  assertEquals([unsaved.status, unsaved.body.samples], [200, expected]);
  const batchId = await createBatch(stack, tenant, body);
  const path = `/batches/${batchId}/dry-run`;
  const stored = await callBatches(stack, tenant, "POST", path);
  assertEquals([stored.body.samples, stored.body.wouldBeRefused], [expected, false]);
  const later = await callBatches(stack, tenant, "POST", path, { fromIndex: 11 });
  assertEquals(later.body.samples.map(({ index }: { index: number }) => index), [11, 12]);
});

Deno.test("a dry run says whether the strict call would be refused, and the call keeps to it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const good = { phone: phoneOf(1), variables: { nome: "Lia", cupom: "A" } };
  const bad = { phone: phoneOf(2), variables: { nome: "Rui" } };
  for (
    const [recipients, validation, isRefused] of [
      [[good, bad], undefined, true],
      [[good, bad], "strict", true],
      [[good, bad], "permissive", false],
      [[good, good], "strict", false],
    ] as const
  ) {
    const body = { message: greeting, validation, recipients };
    const asked = await callBatches(stack, tenant, "POST", "/batches", { ...body, dryRun: true });
    assertEquals([asked.status, asked.body.wouldBeRefused], [200, isRefused]);
    const made = await callBatches(stack, tenant, "POST", "/batches", body);
    assertEquals(made.status, isRefused ? 400 : 201);
  }
});

Deno.test("the record of a batch has the message that it sends, or the template, and keeps it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const message = {
    messageType: "buttons",
    message: "Oi {{nome}}: {{cupom}}",
    buttons: [{ id: "yes", title: "Sim" }],
  };
  const batchId = await createBatch(stack, tenant, { message });
  const draft = await readBatch(stack, tenant, batchId);
  assertEquals([draft.template, draft.message], [null, message]);
  await changeBatch(stack, tenant, batchId, "start");
  const running = await readBatch(stack, tenant, batchId);
  assertEquals([running.status, running.message], ["running", message]);
  const templateId = await insertTemplate(stack.admin, tenant.workspaceId, "aviso");
  const ofTemplate = await createBatch(stack, tenant, {
    ...{ message: undefined, template: { templateId } },
    recipients: [{ phone: phoneOf(1), variables: { 1: "fechado." } }],
  });
  const read = await readBatch(stack, tenant, ofTemplate);
  const template = { templateId, name: "aviso", language: "pt_BR" };
  assertEquals([read.template, read.message], [template, null]);
  const { body } = await callBatches(stack, tenant, "POST", `/batches/${ofTemplate}/dry-run`);
  assertEquals(body.samples, [{ index: 0, message: "Aviso: fechado. Obrigado." }]);
});
