import { assertEquals, assertThrows } from "../../../tests/support/assert.ts";
import { Client } from "../src/index.ts";
import { routes } from "../src/methods.ts";

interface Seen {
  readonly url: string;
  readonly init: RequestInit & { readonly headers: Record<string, string> };
}

/** A client whose calls are recorded and answered here. */
function recordCalls(answer: (seen: Seen) => Response): { client: Client; calls: Seen[] } {
  const calls: Seen[] = [];
  const client = new Client({
    baseUrl: "https://project.example/",
    token: "mia_token",
    secretKey: "sb_secret",
    fetch: (url, init) => {
      const seen = { url: String(url), init } as Seen;
      calls.push(seen);
      return Promise.resolve(answer(seen));
    },
  });
  return { client, calls };
}

Deno.test("a method puts its parameters into the path, its query into the URL, and the token into the header", async () => {
  const { client, calls } = recordCalls(() => Response.json({ success: true }));
  await client.conversations.get("a/b", { instanceId: "demo" });
  await client.batches.addRecipients("b1", { recipients: [] }, {
    headers: { "x-request-id": "r" },
  });
  await client.batches.start("b1");
  await client.admin.getToken("i1", "t1");
  assertEquals(
    calls.map((
      { url, init },
    ) => [init.method, url.replace("https://project.example/functions/v1/", "")]),
    [
      ["GET", "conversations-api/conversations/a%2Fb?instanceId=demo"],
      ["POST", "batches-api/batches/b1/recipients"],
      ["POST", "batches-api/batches/b1/start"],
      ["GET", "admin-api/instances/i1/tokens/t1"],
    ],
  );
  assertEquals(calls.map(({ init }) => init.headers["x-client-token"] ?? init.headers["apikey"]), [
    ...["mia_token", "mia_token", "mia_token"],
    "sb_secret",
  ]);
  assertEquals([calls[1]?.init.headers["x-request-id"], calls[1]?.init.body], [
    "r",
    '{"recipients":[]}',
  ]);
  assertEquals(calls[2]?.init.body, "{}");
});

Deno.test("an empty parameter of a path is refused, so that it never means the whole list", () => {
  const { client, calls } = recordCalls(() => Response.json({}));
  assertThrows(() => client.contacts.erase(""), TypeError, "id is missing");
  assertEquals(calls, []);
});

Deno.test("a list is awaited as its first page, and gone through page by page", async () => {
  const { client, calls } = recordCalls(({ url }) => {
    const cursor = new URL(url).searchParams.get("cursor");
    // A page may be empty and not the last.
    if (cursor === null) return Response.json({ items: [{ contactId: "1" }], nextCursor: "p2" });
    if (cursor === "p2") return Response.json({ items: [], nextCursor: "p3" });
    return Response.json({ items: [{ contactId: "2" }], nextCursor: null });
  });
  assertEquals((await client.contacts.list({ tag: "vip" })).nextCursor, "p2");
  const seen: string[] = [];
  for await (const contact of client.contacts.list({ tag: "vip" })) seen.push(contact.contactId);
  assertEquals(seen, ["1", "2"]);
  assertEquals(calls.map(({ url }) => new URL(url).search), [
    ...["?tag=vip", "?tag=vip", "?tag=vip&cursor=p2", "?tag=vip&cursor=p3"],
  ]);
  // Leaving the loop asks for nothing more.
  for await (const _ of client.contacts.list()) break;
  assertEquals(calls.length, 5);
});

Deno.test("a file goes as a form; what a redirect leads to is read without the token", async () => {
  const { client, calls } = recordCalls(({ url }) => {
    if (url.includes("storage")) return new Response("bytes");
    if (!url.endsWith("/m1")) {
      return Response.json({ success: true, mediaId: "m1" }, { status: 201 });
    }
    return new Response(null, { status: 302, headers: { location: "https://storage.example/x" } });
  });
  await client.media.upload(new File(["%PDF"], "a.pdf", { type: "application/pdf" }));
  const form = calls[0]?.init.body as FormData;
  assertEquals((form.get("file") as File).name, "a.pdf");
  assertEquals(calls[0]?.init.headers["content-type"], undefined);
  await client.media.upload({ url: "https://cdn.example.com/a.png" });
  assertEquals(calls[1]?.init.body, '{"url":"https://cdn.example.com/a.png"}');
  assertEquals(await (await client.media.read("m1")).text(), "bytes");
  assertEquals([calls[3]?.url, calls[3]?.init.headers], ["https://storage.example/x", undefined]);
});

Deno.test("every operation of the document that a client can call has a method", async () => {
  const document = JSON.parse(
    await Deno.readTextFile(new URL("../../../functions/api-docs/openapi.json", import.meta.url)),
  );
  const callable = Object.entries<Record<string, { security?: Record<string, unknown>[] }>>(
    document.paths,
  )
    .flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { security }]) =>
        security?.some((way) => "ClientToken" in way) === true ? [`${method} ${path}`] : []
      )
    );
  const routed = Object.values(routes).flatMap((methods) => Object.values(methods)).map((route) => {
    const [, method = "", path = ""] = route.split(" ");
    return `${method.toLowerCase()} /functions/v1/${path}`;
  });
  // An agent's tools are called by the Model Context Protocol.
  assertEquals(callable.filter((call) => !call.includes("/mcp") && !routed.includes(call)), []);
});
