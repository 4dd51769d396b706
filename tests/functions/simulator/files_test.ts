import { createHash } from "node:crypto";
import { assert, assertEquals } from "../../support/assert.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { waitUntil } from "../../support/wait_until.ts";

const picture = padded(heads.jpeg, 2_000);
const sha256 = createHash("sha256").update(picture).digest("hex");
const bearer = { authorization: "Bearer token" };
const instance = "106540352242922";
const waId = "5511987654321";

interface PutFile {
  readonly fileId: string;
  readonly url: string;
}

async function putFile({ url }: SimulatorServer, type = "image/jpeg"): Promise<PutFile> {
  const response = await fetch(`${url}/files?name=foto.jpg`, {
    method: "PUT",
    headers: { "Content-Type": type },
    body: picture,
  });
  assertEquals(response.status, 201);
  return await response.json();
}

function toForm(members: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(members)) form.append(name, value);
  return form;
}

Deno.test("a file on the phone is served as it is, and nothing in it runs", async () => {
  await using server = startSimulator();
  const { url } = await putFile(server);
  const response = await fetch(url);
  assertEquals(new Uint8Array(await response.arrayBuffer()), picture);
  assertEquals(response.headers.get("content-type"), "image/jpeg");
  assertEquals(response.headers.get("x-content-type-options"), "nosniff");
  const markup = await fetch((await putFile(server, "text/html")).url);
  await markup.body?.cancel();
  assertEquals(markup.headers.get("content-type"), "application/octet-stream");
});

Deno.test("the Graph API stores a file, and describes and serves it to callers with a token", async () => {
  await using server = startSimulator();
  const post = async (
    members: Readonly<Record<string, string | Blob>>,
    headers: Record<string, string> = bearer,
  ): Promise<Response> =>
    await fetch(`${server.url}/graph/v26.0/${instance}/media`, {
      method: "POST",
      headers,
      body: toForm(members),
    });
  const file = new File([picture], "a.jpg", { type: "image/jpeg" });
  const whole = { messaging_product: "whatsapp", file };
  const taken = await post(whole);
  const { id } = await taken.json();
  const statusOf = async (answer: Response): Promise<number> => {
    await answer.body?.cancel();
    return answer.status;
  };
  assertEquals(await statusOf(await post(whole, {})), 401);
  assertEquals(await statusOf(await post({ file })), 400);
  assertEquals(await statusOf(await post({ ...whole, file: new File([], "a.exe") })), 400);
  const told = await fetch(`${server.url}/graph/v26.0/${id}`, { headers: bearer });
  const description = await told.json();
  assertEquals([description.mime_type, description.sha256, description.file_size], [
    "image/jpeg",
    sha256,
    2_000,
  ]);
  assertEquals(await statusOf(await fetch(description.url)), 401);
  const given = await fetch(description.url, { headers: bearer });
  assertEquals(new Uint8Array(await given.arrayBuffer()), picture);
  const unknown = await fetch(`${server.url}/graph/v26.0/123`, { headers: bearer });
  const { error } = await unknown.json();
  assertEquals([unknown.status, error.code, error.error_subcode], [400, 100, 33]);
});

Deno.test("a message with an uploaded file shows the file on the phone", async () => {
  await using server = startSimulator();
  server.writeAsCustomer({ instance, waId });
  const { fileId, url } = await putFile(server);
  const { status } = await server.post(`/graph/v26.0/${instance}/messages`, {
    messaging_product: "whatsapp",
    to: waId,
    type: "image",
    image: { id: fileId },
  }, bearer);
  assertEquals(status, 200);
  assertEquals((await server.read("/messages")).items[0]?.["mediaUrl"], url);
});

Deno.test("a file that a customer sends is told as each provider tells it", async () => {
  await using server = startSimulator();
  const received: Record<string, unknown>[] = [];
  await using hook = startTestServer(
    async (request) => {
      const { searchParams } = new URL(request.url);
      if (request.method === "GET") return new Response(searchParams.get("hub.challenge"));
      received.push(await request.json());
      return new Response();
    },
  );
  const { fileId, url } = await putFile(server);
  for (const provider of ["whatsapp_cloud", "zapi", "evolution"]) {
    const registered = await server.post("/webhooks", {
      ...{ provider, instance, url: `${hook.origin}/` },
      ...(provider === "whatsapp_cloud" ? { appSecret: "app-secret", verifyToken: "verify" } : {}),
    });
    assertEquals(registered.status, 201, JSON.stringify(registered.json));
    const written = await server.post("/replies", {
      ...{ provider, instance, waId },
      content: { messageType: "image", mediaUrl: url },
    });
    assertEquals(written.status, 201, JSON.stringify(written.json));
  }
  await waitUntil(() => received.length >= 3, { what: "three webhooks" });
  const texts = received.map((event) => JSON.stringify(event));
  const base64 = btoa(sha256.replace(/../g, (pair) => String.fromCharCode(parseInt(pair, 16))));
  const cloud = texts.find((text) => text.includes("whatsapp_business_account")) ?? "";
  for (const part of [`"id":"${fileId}"`, `"mime_type":"image/jpeg"`, `"sha256":"${base64}"`]) {
    assert(cloud.includes(part), cloud);
  }
  assertEquals(texts.filter((text) => text.includes(url)).length, 2);
});

Deno.test("the Graph API takes the ids alone that it gave, in a message and in a template's header", async () => {
  await using server = startSimulator();
  const { fileId } = await putFile(server);
  const send = async (message: object): Promise<{ status: number; code: unknown }> => {
    const response = await fetch(`${server.url}/graph/v26.0/${instance}/messages`, {
      method: "POST",
      headers: { ...bearer, "Content-Type": "application/json" },
      body: JSON.stringify({ messaging_product: "whatsapp", to: waId, ...message }),
    });
    const answer = await response.json();
    return { status: response.status, code: answer.error?.code };
  };
  const inHeader = (id: string): object => ({
    type: "interactive",
    interactive: {
      type: "button",
      header: { type: "image", image: { id } },
      body: { text: "Oi" },
      action: { buttons: [{ type: "reply", reply: { id: "1", title: "a" } }] },
    },
  });
  for (const message of [(id: string) => ({ type: "image", image: { id } }), inHeader]) {
    // Outside the window it would be refused for another reason.
    assertEquals((await send(message(fileId))).code, 131047);
    const refused = await send(message(crypto.randomUUID()));
    assertEquals([refused.status, refused.code], [400, 100]);
  }
});
