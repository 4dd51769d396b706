import { assertEquals } from "../../support/assert.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  phoneOf,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

const recipients = [
  { phone: phoneOf(1), variables: { nome: "Ana", plano: "Ouro" } },
  { phone: phoneOf(2), variables: { nome: "Bia", plano: "Prata" } },
];

Deno.test("a batch fills the texts of every part, on a channel that shows them and on one that numbers them", async () => {
  await using stack = await startMessagingStack();
  const buttons = {
    messageType: "buttons",
    message: "Oi {{nome}}, aceita?",
    header: { text: "Plano {{plano}}" },
    buttons: [{ id: "sim", title: "Quero {{plano}}" }, { id: "nao", title: "Não" }],
    footer: "Para {{nome}}",
  };
  const expected = {
    zapi: (nome: string, plano: string) => ({
      message: `Plano ${plano}\n\nOi ${nome}, aceita?\n\nPara ${nome}`,
      buttonList: {
        buttons: [{ id: "sim", label: `Quero ${plano}` }, { id: "nao", label: "Não" }],
      },
    }),
    evolution: (nome: string, plano: string) => ({
      text: `Plano ${plano}\n\nOi ${nome}, aceita?\n\n1. Quero ${plano}\n2. Não\n\nPara ${nome}`,
    }),
  };
  for (const [provider, write] of Object.entries(expected)) {
    stack.provider.requests.length = 0;
    const tenant = await stack.createTenant({ provider: provider as keyof typeof expected });
    const batchId = await createBatch(stack, tenant, {
      ...{ message: buttons, recipients },
    });
    await changeBatch(stack, tenant, batchId, "start");
    await runBatches(stack, recipients.length);
    assertEquals(
      stack.provider.requests.map(({ json: { phone: _, number: _to, ...members } }) => members),
      recipients.map(({ variables: { nome, plano } }) => write(nome, plano)),
    );
  }
});

Deno.test("a batch of a kind that the channel cannot carry is refused as a whole", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const message = { messageType: "contact_request", message: "Seu número, {{nome}}?" };
  const { status, body } = await callBatches(stack, tenant, "POST", "/batches", {
    ...{ message, recipients },
  });
  assertEquals([status, body.error], [400, "unsupported_on_channel"]);
  assertEquals(body.details, { messageType: "contact_request", provider: "zapi" });
});
