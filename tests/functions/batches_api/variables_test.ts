/** Variables of a batch: those that nothing takes, and braces that nothing can fill. */

import { assertEquals } from "../../support/assert.ts";
import { callBatches, phoneOf } from "../../support/fixtures/batch_calls.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

Deno.test("a recipient's variable that the message does not take is named, in every call that takes recipients", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const message = { messageType: "text", message: "Oi {{nome}}, {{pedido}}" };
  const recipients = [
    { phone: phoneOf(0), variables: { nome: "Ana", pedido: 1 } },
    { phone: phoneOf(1), variables: { nome: "Bia", pedido: 2, foo: 3, bar: null } },
  ];
  const ignored = ["recipients.1.variables.foo"];
  const call = (path: string, body: Readonly<Record<string, unknown>>) =>
    callBatches(stack, tenant, "POST", path, body);
  const dry = await call("/batches", { message, recipients, dryRun: true });
  assertEquals([dry.status, dry.body.ignoredFields], [200, ignored]);
  const made = await call("/batches", { message, recipients });
  assertEquals([made.status, made.body.ignoredFields], [201, ignored]);
  const { batchId } = made.body;
  const added = await call(`/batches/${batchId}/recipients`, {
    recipients: recipients.map((recipient, place) => ({ ...recipient, phone: phoneOf(2 + place) })),
  });
  assertEquals([added.status, added.body.ignoredFields], [201, ignored]);
});

Deno.test("a batch with braces that nothing can fill is not made, wherever they stand", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const list = { title: "T", buttonLabel: "Ver", options: [{ title: "{{a.b}}" }] };
  const url = "https://a.example/{{nome}}";
  const cases: readonly (readonly [message: object, path: string])[] = [
    ...["{{nome-cliente}}", "{{nome cliente}}", "{{nome.cliente}}", "{{nome}", "{{{nome}}}"]
      .map((braces) => [{ messageType: "text", message: `Oi ${braces}` }, "message"] as const),
    [{ messageType: "option_list", message: "Oi", optionList: list }, "optionList.options.0.title"],
    [
      { messageType: "buttons", message: "Oi", buttons: [{ title: "a" }], footer: "{{a b}}" },
      "footer",
    ],
    [{ messageType: "image", mediaUrl: `${url}.png` }, "mediaUrl"],
    [
      { messageType: "link_button", message: "Oi", linkButton: { title: "a", url } },
      "linkButton.url",
    ],
  ];
  for (const [message, path] of cases) {
    for (const dryRun of [true, false]) {
      const { status, body } = await callBatches(stack, tenant, "POST", "/batches", {
        ...{ message, dryRun, recipients: [{ phone: phoneOf(0), variables: { nome: "Ana" } }] },
      });
      const paths = body.issues?.map((issue: { path: string }) => issue.path);
      assertEquals([status, paths], [400, [`message.${path}`]], JSON.stringify(message));
    }
  }
});
