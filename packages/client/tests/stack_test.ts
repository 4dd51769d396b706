import { assert, assertEquals, assertRejects } from "../../../tests/support/assert.ts";
import { createTestDatabase } from "../../../tests/support/database/database.ts";
import { startTestServer } from "../../../tests/support/doubles/test_server.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  startLocalStack,
} from "../../../tests/support/stack/local_stack.ts";
import { waitUntil } from "../../../tests/support/wait_until.ts";
import {
  ApiError,
  Client,
  ConnectionError,
  verifyWebhook,
  type WebhookEvent,
} from "../src/index.ts";

const phone = "5511988887777";

Deno.test("the client against a started stack", async (t) => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  const options = {
    dataDir: folder.path,
    databaseUrl: database.url,
    // A provider that does not answer is given up soon, and one that a busy machine slows is not.
    environment: { PROVIDER_TIMEOUT_MS: "10000" },
  };
  let stack: LocalStack = await startLocalStack(options);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => stack[Symbol.asyncDispose]());
  const { origin: baseUrl, port } = stack;
  const { clientToken: token } = await (await fetch(`${baseUrl}/simulator/demo`)).json();
  const client = new Client({ baseUrl, token });
  const countSent = async (text: string): Promise<number> =>
    (await stack.readSimulator(`messages?to=${phone}&limit=1000`))
      .filter((message) => message["text"] === text).length;
  const plan = async (fault: Record<string, unknown>): Promise<void> => {
    const response = await fetch(`${baseUrl}/simulator/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ provider: "zapi", to: phone, ...fault }),
    });
    assertEquals(response.ok, true, await response.text());
  };
  const send = (message: string, more?: Parameters<Client["messages"]["send"]>[1]) =>
    client.messages.send({ instanceId: "demo", phone, messageType: "text", message }, more);

  await t.step("a channel that fails for a moment: repeated, and sent once", async () => {
    await plan({ kind: "rate_limit", retryAfterSeconds: 1 });
    assertEquals((await send("in a moment")).mode, "sent");
    assertEquals(await countSent("in a moment"), 1);
  });

  await t.step(
    "a question: waited for until the person has answered, and told parsed",
    async () => {
      const asked = await client.messages.send({
        ...{ instanceId: "demo", phone, messageType: "text", message: "How many?" },
        ask: { accept: "number", answerWithin: "PT1H" },
      });
      const questionId = "questionId" in asked ? asked.questionId ?? "" : "";
      const waiting = client.questions.wait(questionId, { signal: AbortSignal.timeout(60_000) });
      const content = { messageType: "text", text: "1.234,50" };
      const written = await fetch(`${baseUrl}/simulator/replies`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ provider: "zapi", instance: "DEMO", waId: phone, content }),
      });
      assertEquals(written.status, 201, await written.text());
      const { status, answer } = await waiting;
      assertEquals([status, answer?.value], ["answered", "1234.50"]);
    },
  );

  await t.step("a payment request, and what has become of it", async () => {
    const sent = await client.messages.send({
      ...{ instanceId: "demo", phone, messageType: "payment_request", message: "Pedido 1" },
      payment: { reference: "client-1", amount: "1.50", link: "https://pay.example.com/1" },
    });
    const told = await client.payments.changeByReference("client-1", {
      ...{ instanceId: "demo", status: "paid" },
    });
    assertEquals([told.status, told.messageId], [
      "paid",
      "messageId" in sent ? sent.messageId : undefined,
    ]);
    const { items } = await client.payments.list({ instanceId: "demo", reference: "client-1" });
    assertEquals(items.map(({ status, amount }) => [status, amount]), [["paid", "1.50"]]);
  });

  await t.step("a channel that refuses for good: told, and not repeated", async () => {
    await plan({ kind: "reject" });
    const error = await assertRejects(() => send("refused"), ApiError);
    assertEquals([error.status, error.retryable, await countSent("refused")], [502, false, 0]);
  });

  for (const kind of ["timeout", "garbage", "reset"]) {
    await t.step(
      `an unknown outcome (${kind}): 504, never repeated, and known by its key`,
      async () => {
        await plan({ kind });
        const error = await assertRejects(() => send(kind), ApiError);
        assertEquals([error.status, error.code], [504, "provider_outcome_unknown"]);
        assertEquals(await countSent(kind), 1);
        const { idempotencyKey = "" } = error;
        // Once an event has proven it, the key answers what has become of it.
        await send(kind, { idempotencyKey }).catch(() => undefined);
        assertEquals(await countSent(kind), 1);
      },
    );
  }

  await t.step(
    "a connection that is cut after the call: repeated with its key, and sent once",
    async () => {
      let calls = 0;
      const cutting = new Client({
        baseUrl,
        token,
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          if (++calls > 2) return response;
          await response.body?.cancel();
          throw new TypeError("the connection was reset");
        },
      });
      const answer = await cutting.messages.send({
        ...{ instanceId: "demo", phone, messageType: "text", message: "cut twice" },
      });
      assertEquals([answer.mode, calls, await countSent("cut twice")], ["sent", 3, 1]);
      calls = -10;
      const lost = new Client({ baseUrl: "http://127.0.0.1:9", token, maxRetries: 0 });
      await assertRejects(() => lost.messages.list(), ConnectionError);
    },
  );

  await t.step(
    "pages: what was there at the first is given once, whatever is added meanwhile",
    async () => {
      const [tag, count] = ["paged", 25];
      for (let index = 0; index < count; index++) {
        await client.contacts.create({
          instanceId: "demo",
          phone: `55119666000${10 + index}`,
          name: `${index}`,
        });
        await client.contacts.changeTags({
          instanceId: "demo",
          phone: `55119666000${10 + index}`,
          addTags: [tag],
        });
      }
      const before = new Set(
        (await client.contacts.list({ tag, limit: 1000 })).items.map((c) => c.contactId),
      );
      const seen: string[] = [];
      for await (const { contactId } of client.contacts.list({ tag, limit: 4 })) {
        seen.push(contactId);
        if (seen.length % 4 !== 1) continue;
        // Between two pages others come, and one changes.
        const added = `5511977700${100 + seen.length}`;
        await client.contacts.create({ instanceId: "demo", phone: added, name: "0 new" });
        await client.contacts.changeTags({ instanceId: "demo", phone: added, addTags: [tag] });
        await client.contacts.update({ instanceId: "demo", contactId, name: "9 changed" });
      }
      assertEquals([new Set(seen).size, before.size], [seen.length, count]);
      assertEquals([...before].filter((contactId) => !seen.includes(contactId)), []);
    },
  );

  await t.step("a file is uploaded, and read back without the token leaving", async () => {
    const png = Uint8Array.from(atob(pixel), (char) => char.charCodeAt(0));
    const { mediaId } = await client.media.upload(new File([png], "a.png", { type: "image/png" }));
    const file = await client.media.read(mediaId);
    assertEquals([...new Uint8Array(await file.arrayBuffer())], [...png]);
  });

  await t.step(
    "webhooks verify by the type's own data, with the former secret too while it is replaced",
    async () => {
      const deliveries: { headers: Headers; body: string }[] = [];
      await using receiver = startTestServer(async (request) => {
        deliveries.push({ headers: request.headers, body: await request.text() });
        return new Response(null, { status: 204 });
      });
      const { endpointId, secret } = await client.events.createEndpoint({ url: receiver.origin });
      assertEquals((await client.events.testEndpoint(endpointId)).delivered, true);
      const { secret: next } = await client.events.rotateEndpointSecret(endpointId);
      assertEquals((await client.events.testEndpoint(endpointId)).delivered, true);
      const [first, second] = deliveries;
      assert(first !== undefined && second !== undefined);
      const read = (delivery: typeof first, secrets: string[]): Promise<WebhookEvent> =>
        verifyWebhook(delivery.body, delivery.headers, secrets);
      assertEquals((await read(first, [next, secret])).type, "endpoint.test");
      assertEquals((await read(second, [secret])).type, "endpoint.test");
      assertEquals((await read(second, [next])).type, "endpoint.test");
      await assertRejects(() => read(first, [next]));
      await client.events.deleteEndpoint(endpointId);
      assertEquals((await client.events.listEndpoints()).items, []);
    },
  );

  await t.step("the feed goes on through a restart of the service, and skips nothing", async () => {
    const feed = client.events.follow({ types: ["contact.created"], waitSeconds: 5 });
    const seen: string[] = [];
    const following = (async () => {
      for await (const event of feed) {
        if (event.type !== "contact.created") continue;
        seen.push(event.data.contactId);
        if (seen.length === 3) break;
      }
    })();
    await waitUntil(() => feed.cursor !== undefined, { what: "the beginning of the feed" });
    const create = async (number: number): Promise<string> =>
      (await client.contacts.create({ instanceId: "demo", phone: `551195550000${number}` }))
        .contactId;
    const created = [await create(1)];
    await waitUntil(() => seen.length === 1, { what: "the first event" });
    await stack[Symbol.asyncDispose]();
    stack = await startLocalStack({ ...options, port });
    created.push(await create(2), await create(3));
    await following;
    assertEquals(seen, created);
  });

  await t.step(
    "a cursor that is not of this instance ends the feed with the service's refusal",
    async () => {
      const error = await assertRejects(async () => {
        for await (const _ of client.events.follow({ cursor: "nonsense" })) break;
      }, ApiError);
      assertEquals([error.status, error.code], [400, "invalid_request"]);
    },
  );
});

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
