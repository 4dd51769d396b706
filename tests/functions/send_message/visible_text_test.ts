/** Texts of which nobody sees anything, and names of files that would be shown as others. */

import { assertEquals } from "../../support/assert.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

const phone = "5511987654321";
const invisible = "\u200b\ufe0f \u3164";

Deno.test("a text of invisible marks alone is refused wherever a contact would see it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const button = { id: "a", title: "a" };
  const list = { title: "T", buttonLabel: "Ver", options: [{ title: "a" }] };
  const cases: readonly (readonly [fields: object, path: string])[] = [
    [{ messageType: "text", message: invisible }, "message"],
    [
      { messageType: "buttons", message: "Oi", buttons: [{ ...button, title: invisible }] },
      "buttons.0.title",
    ],
    [
      {
        messageType: "option_list",
        message: "Oi",
        optionList: { ...list, options: [{ title: invisible }] },
      },
      "optionList.options.0.title",
    ],
    [
      {
        messageType: "option_list",
        message: "Oi",
        optionList: { ...list, buttonLabel: invisible },
      },
      "optionList.buttonLabel",
    ],
    [
      {
        messageType: "link_button",
        message: "Oi",
        linkButton: { title: invisible, url: "https://a.example" },
      },
      "linkButton.title",
    ],
    [
      { messageType: "contacts", contacts: [{ name: invisible, phones: ["5511900000000"] }] },
      "contacts.0.name",
    ],
  ];
  for (const [fields, path] of cases) {
    const { status, body } = await stack.send(tenant, { phone, ...fields });
    const paths = body.issues?.map((issue: { path: string }) => issue.path);
    assertEquals([status, paths], [400, [path]], JSON.stringify(fields));
  }
  assertEquals(stack.provider.requests.length, 0);
  const { status } = await stack.send(tenant, { phone, messageType: "text", message: "👍🏽\u200b" });
  assertEquals([status, stack.provider.requests[0]?.json["message"]], [200, "👍🏽\u200b"]);
});

for (const provider of ["zapi", "evolution", "whatsapp_cloud"] as const) {
  Deno.test(`${provider}: the name of a file that goes out is cleaned as one that comes in`, async () => {
    await using stack = await startMessagingStack();
    const tenant = await stack.createTenant({ provider });
    const mediaUrl = "https://files.example.com/a%2Fb%E2%80%AEc.pdf";
    const names: readonly (readonly [given: string | undefined, sent: string])[] = [
      ["invoice\u202efdp.pdf", "invoicefdp.pdf"],
      ["../../etc/passwd.pdf", "passwd.pdf"],
      ["C:\\pasta\\nota\u0007.pdf", "nota.pdf"],
      ["..", "bc.pdf"],
      ["\u200b", "bc.pdf"],
      [undefined, "bc.pdf"],
      ["relatório 👍🏽.pdf", "relatório 👍🏽.pdf"],
    ];
    for (const [mediaFilename, sent] of names) {
      const { status, body } = await stack.send(tenant, {
        ...{ phone, messageType: "document", mediaUrl, mediaFilename },
      });
      assertEquals(status, 200, JSON.stringify(body));
      const json: Readonly<Record<string, unknown>> = stack.provider.requests.at(-1)?.json ?? {};
      const document = json["document"] as { filename?: string } | undefined;
      const name = json["fileName"] ?? document?.filename;
      assertEquals(name, sent, JSON.stringify(mediaFilename));
    }
    const { status } = await stack.send(tenant, {
      ...{ phone, messageType: "document", mediaUrl, mediaFilename: "a/b\u202e.pdf" },
    });
    const [stored] = await stack.admin`
      select content->>'mediaFilename' as name from messaging.messages
      order by created_at desc limit 1`;
    assertEquals([status, stored?.["name"]], [200, "b.pdf"]);
  });
}
