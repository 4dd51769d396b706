import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

const phone = "5511987654321";
const cdn = "https://cdn.example.com";
const options = [{ title: "Manhã", description: "8h às 12h" }, { id: "t", title: "Tarde" }];

/** One of each type, with all that it may hold. */
const contents: readonly Readonly<Record<string, unknown>>[] = [
  { messageType: "text", message: "Olá 🙂" },
  { messageType: "image", mediaUrl: `${cdn}/a.png`, message: "Veja" },
  { messageType: "video", mediaUrl: `${cdn}/a.mp4`, message: "Veja" },
  { messageType: "video", mediaUrl: `${cdn}/download` },
  { messageType: "audio", mediaUrl: `${cdn}/a.mp3` },
  { messageType: "document", mediaUrl: `${cdn}/a.mp4`, message: "Veja" },
  { messageType: "document", mediaUrl: `${cdn}/x`, message: "Segue", mediaFilename: "nota.pdf" },
  {
    messageType: "option_list",
    message: "Quando?",
    optionList: { title: "Horários", buttonLabel: "Ver", options },
  },
];

Deno.test("a message that waits leaves exactly as one that is sent at once, whatever its type and channel", async () => {
  await using stack = await startMessagingStack();
  for (const provider of ["whatsapp_cloud", "zapi", "evolution"] as const) {
    const tenant = await stack.createTenant({ provider });
    for (const content of contents) {
      stack.provider.requests.length = 0;
      await stack.send(tenant, { phone, ...content });
      const { body } = await stack.send(tenant, { phone, ...content, delayMessage: 60 });
      assertEquals([body.mode, stack.provider.requests.length], ["scheduled", 1]);
      await letTimePass(stack.admin, 61);
      await stack.dispatch();
      const [atOnce, waited] = stack.provider.requests.map(({ path, json }) => ({
        path,
        json: { ...json, biz_opaque_callback_data: "" },
      }));
      assertEquals(waited, atOnce);
      assertEquals(stack.provider.requests.length, 2);
    }
  }
});
