import { assertEquals } from "../../support/assert.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { type FilePart, uploadFile } from "../media_api/media_calls.ts";

const phone = "5511987654321";
const kilobyte = 1_024;
const still = "RIFF\x24\0\0\0WEBPVP8 ";
/** The extended header, with and without the flag of an animation. */
const moving = "RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0";
const extended = "RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0";
const opus = `OggS\0\x02${"\0".repeat(20)}\x01\x13OpusHead`;
const vorbis = `OggS\0\x02${"\0".repeat(20)}\x01\x1e\x01vorbis`;

Deno.test("media-api takes webp and ogg, and a sticker and a voice message go by their ids on every channel", async () => {
  await using stack = await startMessagingStack();
  for (const provider of ["zapi", "evolution"] as const) {
    const tenant = await stack.createTenant({ provider });
    for (
      const [messageType, bytes, type] of [
        ["sticker", padded(still, 100 * kilobyte), "image/webp"],
        ["sticker", padded(moving, 500 * kilobyte), "image/webp"],
        ["voice", padded(opus, 600 * kilobyte), "audio/ogg"],
      ] as const
    ) {
      const { status, body } = await sendFile(stack, tenant, messageType, { bytes, type });
      assertEquals([status, body.status], [200, "sent"], messageType);
    }
  }
});

Deno.test("a file that is no sticker or no voice message by type or size is refused with the channel's numbers, and nothing is stored or sent", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const cases: readonly (readonly [string, FilePart["bytes"], RegExp])[] = [
    ["sticker", padded(still, 100 * kilobyte + 1), /100 KB at most/],
    ["sticker", padded(extended, 200 * kilobyte), /100 KB at most/],
    ["sticker", padded(moving, 500 * kilobyte + 1), /500 KB/],
    ["sticker", padded(heads.png, 2_000), /image\/png, which cannot be sent as sticker/],
    ["voice", padded(vorbis, 2_000), /Opus/],
    ["voice", padded(heads.mp3, 2_000), /audio\/mpeg, which cannot be sent as voice/],
    ["image", padded(still, 2_000), /image\/webp, which cannot be sent as image/],
  ];
  for (const [messageType, bytes, words] of cases) {
    const { status, body } = await sendFile(stack, tenant, messageType, { bytes });
    assertEquals([status, body.error, body.issues?.[0].path], [400, "invalid_request", "mediaId"]);
    assertEquals(words.test(body.issues[0].message), true, body.issues[0].message);
  }
  for (
    const [messageType, mediaUrl] of [
      ["sticker", "https://files.example.com/a.png"],
      ["voice", "https://files.example.com/a.mp3"],
    ]
  ) {
    const { status, body } = await stack.send(tenant, { phone, messageType, mediaUrl });
    assertEquals([status, body.issues?.[0].path], [400, "mediaUrl"]);
  }
  const [stored] = await stack.admin`select count(*)::integer as rows from messaging.messages`;
  assertEquals([stored?.["rows"], stack.provider.requests.length], [0, 0]);
});

Deno.test("a header's file that is not of its type, or that the channel does not take, is named where the request names it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const { mediaId } = (await uploadFile(stack, tenant, { bytes: padded(heads.png, 2_000) })).body;
  const question = {
    phone,
    messageType: "buttons",
    message: "Certo?",
    buttons: [{ title: "Sim" }],
  };
  for (const type of ["video", "document"]) {
    const header = { type, mediaId };
    const { status, body } = await stack.send(tenant, { ...question, header });
    assertEquals([status, body.issues?.[0].path], [400, "header.mediaId"], type);
    await stack.admin`update messaging.media set mime_type = 'application/zip'`;
  }
});

Deno.test("an ogg file above 16 MB is refused when it is uploaded", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { status } = await uploadFile(stack, tenant, { bytes: padded(opus, 16 * 2 ** 20 + 1) });
  assertEquals(status, 413);
});

async function sendFile(
  stack: MessagingStack,
  tenant: Tenant,
  messageType: string,
  file: FilePart,
): Promise<Awaited<ReturnType<MessagingStack["send"]>>> {
  const uploaded = await uploadFile(stack, tenant, file);
  assertEquals(uploaded.status, 201, JSON.stringify(uploaded.body));
  return await stack.send(tenant, { phone, messageType, mediaId: uploaded.body.mediaId });
}
