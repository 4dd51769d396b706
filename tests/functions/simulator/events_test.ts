import { assert, assertEquals, assertObjectMatch } from "../../support/assert.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { startSimulator } from "./simulator_server.ts";

/** Reads the stream until `count` events with data have arrived. */
async function readEvents(
  body: ReadableStream<Uint8Array>,
  count: number,
): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const events: { type: string; data: Record<string, unknown> }[] = [];
  let text = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = /^event: (\w+)\ndata: (.*)$/.exec(block);
      if (event !== null) events.push({ type: event[1] ?? "", data: JSON.parse(event[2] ?? "") });
    }
    if (events.length >= count) break;
  }
  return events;
}

Deno.test("the event stream reports arrivals, faults and clearings as they happen", async () => {
  await using server = startSimulator();
  const stream = await fetch(`${server.url}/events`);
  assertEquals(stream.headers.get("content-type"), "text/event-stream");
  await server.post("/zapi/instances/3A1/token/T0/send-text", {
    phone: "5511912340001",
    message: "line one\nline two",
  });
  await server.post("/faults", { provider: "zapi", kind: "reject" });
  await server.read("/messages", "DELETE");
  assert(stream.body !== null);
  const events = await readEvents(stream.body, 3);
  assertEquals(events.map((event) => event.type), ["added", "faults_changed", "cleared"]);
  assertObjectMatch(events[0]?.data ?? {}, {
    kind: "messages",
    record: { text: "line one\nline two", to: "5511912340001" },
  });
  assertEquals(events[2]?.data, { kind: "messages" });
});

Deno.test("the event stream ends when the stack stops", async () => {
  await using server = startSimulator();
  const leaving = new AbortController();
  const stream = await fetch(`${server.url}/events`, { signal: leaving.signal });
  let text: string | undefined;
  const reading = stream.text().then((whole) => text = whole, () => {});
  server.simulator.close();
  try {
    await waitUntil(() => text !== undefined, { what: "the end of the event stream" });
  } finally {
    leaving.abort();
    await reading;
  }
  assertEquals(text, "retry: 1000\n\n");
});
