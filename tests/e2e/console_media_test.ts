import { Buffer } from "node:buffer";
import { assertEquals } from "../support/assert.ts";
import { testConsole } from "../support/browser/console.ts";
import { waitUntil } from "../support/wait_until.ts";

const phone = "5511922221111";

/** One red pixel. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
const picture = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));

/** A tenth of a second of silence: 8 kHz, 8 bits. */
function createWav(): Uint8Array<ArrayBuffer> {
  const samples = 800;
  const bytes = Buffer.alloc(44 + samples, 128);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + samples, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(8_000, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(samples, 40);
  return new Uint8Array(bytes);
}

testConsole(
  "the console shows the pictures and plays the sound of messages, and sends a file from the phone",
  async ({ stack, demo, open }) => {
    const upload = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
      const form = new FormData();
      form.append("file", new Blob([bytes]), "file");
      const response = await fetch(`${stack.origin}/functions/v1/media-api/media`, {
        method: "POST",
        headers: { "X-Client-Token": demo.token },
        body: form,
      });
      return (await response.json()).mediaId;
    };
    await using browser = await open({ size: { width: 1_200, height: 900 } });
    const { page } = browser;
    const bubbles = page.locator("#bubbles");

    const image = {
      instanceId: "demo",
      phone,
      messageType: "image",
      mediaId: await upload(picture),
    };
    const sent = await stack.call(demo, "send-message", { ...image, message: "A peça" });
    assertEquals(sent.status, 200, JSON.stringify(sent.body));
    await bubbles.getByText("A peça").waitFor();
    const width = "document.querySelector('#bubbles img')?.naturalWidth ?? 0";
    await waitUntil(async () => await page.evaluate(width) === 1, { what: "the picture" });

    const audio = {
      instanceId: "demo",
      phone,
      messageType: "audio",
      mediaId: await upload(createWav()),
    };
    assertEquals((await stack.call(demo, "send-message", audio)).status, 200);
    await bubbles.locator("audio").waitFor();
    const play = `(async () => {
      const audio = document.querySelector("#bubbles audio");
      audio.muted = true;
      await audio.play();
      return audio.duration;
    })()`;
    assertEquals(await page.evaluate(play), 0.1);

    await page.getByText("Who writes, and attachments").click();
    await page.locator("#reply-file").setInputFiles({
      name: "foto.png",
      mimeType: "image/png",
      buffer: Buffer.from(picture),
    });
    // Choosing a file chooses its kind.
    assertEquals(await page.locator("#reply-kind").inputValue(), "image");
    await page.getByRole("button", { name: "Send" }).click();
    await bubbles.locator(".own img").waitFor();
    // Not the number by which the stack knows the file.
    assertEquals(await bubbles.locator(".own .media-name").textContent(), "Image");
    await page.locator("#phone-list").getByText("Image", { exact: true }).waitFor();
    await page.locator("#events").getByText("Maria Silva +55 11 92222-1111 · Image").first()
      .waitFor({ state: "attached" });
    const messages = "messages-api/messages?direction=inbound";
    await waitUntil(
      async () => (await stack.call(demo, messages)).body.items?.[0]?.messageType === "image",
      { what: "the picture to be received" },
    );
    assertEquals(browser.faults, []);
  },
);
