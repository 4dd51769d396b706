import { assertEquals } from "../../support/assert.ts";
import { demoTarget, startService } from "../contract/service.ts";

const sendMessage = "/functions/v1/send-message";

// Specification 2, Option list.
Deno.test("an option list's title, buttonLabel and options with id, title, description reach the contact", async () => {
  await using service = await startService();
  const optionList = {
    title: "Menu",
    buttonLabel: "Abrir",
    options: [{ id: "a", title: "Um", description: "O primeiro" }, { title: "Dois" }],
  };
  await service.post(sendMessage, {
    ...demoTarget,
    messageType: "option_list",
    message: "Escolha",
    optionList,
  });
  const [request] = service.contract.stack.provider.requests;
  assertEquals(request?.json["optionList"], {
    title: "Menu",
    buttonLabel: "Abrir",
    options: [
      { id: "a", title: "Um", description: "O primeiro" },
      { id: "2", title: "Dois", description: "" },
    ],
  });
});

/** The listed types, and which messageType carries them. */
const mediaTypes = [
  ["jpg", ["image", "document"]],
  ["png", ["image", "document"]],
  ["mp3", ["audio", "document"]],
  ["wav", ["audio", "document"]],
  ["mp4", ["video", "document"]],
  ["pdf", ["document"]],
  ["exe", []],
  ["html", []],
] as const;

// Specification 8, media URL.
Deno.test("a media URL is public, https and of a listed type", async () => {
  await using service = await startService();
  const accepts = async (messageType: string, mediaUrl: string): Promise<boolean> => {
    const call = { ...demoTarget, messageType, mediaUrl };
    const { status, body } = await service.call("POST", sendMessage, call);
    if (status === 200) return true;
    assertEquals([status, body.issues[0].path], [400, "mediaUrl"], mediaUrl);
    return false;
  };
  for (const [extension, carriers] of mediaTypes) {
    for (const type of ["image", "video", "audio", "document"]) {
      const isCarrier = (carriers as readonly string[]).includes(type);
      const url = `https://cdn.example.com/file.${extension}`;
      assertEquals(await accepts(type, url), isCarrier, `${type} ${extension}`);
    }
  }
  for (
    const url of [
      "http://cdn.example.com/a.jpg",
      "ftp://cdn.example.com/a.jpg",
      "https://localhost/a.jpg",
      "https://127.0.0.1/a.jpg",
      "https://192.168.0.1/a.jpg",
      "https://[::1]/a.jpg",
      "https://user:secret@cdn.example.com/a.jpg",
      "not a url",
    ]
  ) assertEquals(await accepts("image", url), false, url);
});
