/** Files of WAHA: fetched at once, at the instance's own address, with the key there alone. */
import { assertEquals } from "../../support/assert.ts";
import { wahaEvent, wahaMessage } from "../../support/providers/waha/facts.ts";
import { createMemoryStorage } from "../../support/doubles/memory_storage.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { createFileClient, serveFiles } from "./received_file_client.ts";

const picture = padded(heads.jpeg, 20_000);
const apiKey = "waha-secret-key";
/** By WAHA's own setting, which names a host that only it knows. */
const own = "http://waha.internal:3000/api/files/loja/3EB0F.jpg";

/** What the event says of the file, and the calls that bring it. */
const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
  [
    "whose event has its URL is fetched there",
    { url: own, mimetype: "image/jpeg" },
    ["/api/files/loja/3EB0F.jpg"],
  ],
  [
    "that was not downloaded is asked for by its message, and fetched",
    { url: null, mimetype: "image/jpeg" },
    ["/messages/", "/api/files/loja/3EB0F.jpg"],
  ],
];

for (const [what, media, expected] of cases) {
  Deno.test(`WAHA: a file ${what}, with the key, and kept`, async () => {
    await using files = await createFileClient({ storage: createMemoryStorage() });
    const { client } = files;
    const { stack } = client;
    const tenant = await client.createTenant({ provider: "waha" });
    const serve = serveFiles({ "/api/files/loja/3EB0F.jpg": picture });
    stack.provider.answer = (request) =>
      request.path.includes("/messages/")
        ? Response.json({ media: { url: own, mimetype: "image/jpeg" } })
        : serve(request);
    const message = wahaMessage("3EB0F", { hasMedia: true, media, body: "A peça" });
    await client.tell("waha", tenant, wahaEvent("message", message));
    assertEquals((await files.lastMessage(tenant)).mediaStatus, "pending");
    await files.fetchFiles();
    const { mediaStatus, mediaMimeType, messageType, message: words } = await files.lastMessage(
      tenant,
    );
    assertEquals([messageType, words, mediaStatus, mediaMimeType], [
      ...["image", "A peça", "stored", "image/jpeg"],
    ]);
    const { requests } = stack.provider;
    assertEquals(
      requests.map(({ path }) => expected.find((part) => path.includes(part))),
      [...expected],
    );
    assertEquals(
      requests.map(({ headers }) => headers.get("x-api-key")),
      expected.map(() => apiKey),
    );
  });
}
