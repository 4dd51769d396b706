import { assertEquals } from "../../support/assert.ts";
import { contents, createContextClient } from "./context_client.ts";

Deno.test("start and end are whole days of the instance's time zone", async () => {
  await using client = await createContextClient({ timeZone: "America/Sao_Paulo" });
  const contact = await client.createContact();
  const edges = {
    "before": "2026-03-10T02:59:59.999Z",
    "first": "2026-03-10T03:00:00.000Z",
    "last": "2026-03-12T02:59:59.999Z",
    "after": "2026-03-12T03:00:00.000Z",
  };
  for (const [message, sent_at] of Object.entries(edges)) {
    await client.write(contact, { message, sent_at });
  }
  const read = async (start: string, end: string): Promise<string[]> =>
    contents(await client.read({ start, end }));
  assertEquals(await read("2026-03-10", "2026-03-11"), ["first", "last"]);
  assertEquals(await read("2026-03-10", "2026-03-10"), ["first"]);
  assertEquals(await read("2026-03-09", "2026-03-09"), ["before"]);
  assertEquals(await read("2026-03-12", "2026-03-31"), ["after"]);
});

Deno.test("the same instants fall on other days elsewhere", async () => {
  await using client = await createContextClient({ timeZone: "Asia/Tokyo" });
  const contact = await client.createContact();
  await client.write(contact, { message: "on the 10th", sent_at: "2026-03-10T14:59:59Z" });
  await client.write(contact, { message: "on the 11th", sent_at: "2026-03-10T15:00:00Z" });
  const ends = await client.read({ start: "2026-03-10", end: "2026-03-10" });
  assertEquals(contents(ends), ["on the 10th"]);
});

Deno.test("a day that starts at 01:00 and the evening before it lose no message", async () => {
  await using client = await createContextClient({ timeZone: "America/Sao_Paulo" });
  const contact = await client.createContact();
  await client.write(contact, { message: "23:30", sent_at: "2018-11-04T02:30:00Z" });
  await client.write(contact, { message: "01:00", sent_at: "2018-11-04T03:00:00Z" });
  const third = await client.read({ start: "2018-11-03", end: "2018-11-03" });
  assertEquals(contents(third), ["23:30"]);
  const fourth = await client.read({ start: "2018-11-04", end: "2018-11-04" });
  assertEquals(contents(fourth), ["01:00"]);
});

Deno.test("an hour that comes twice at a day's end is read with that day", async () => {
  await using client = await createContextClient({ timeZone: "America/Sao_Paulo" });
  const contact = await client.createContact();
  const evening = {
    "23:30 in summer": "2018-02-18T01:30:00Z",
    "23:30 in winter": "2018-02-18T02:30:00Z",
    "midnight": "2018-02-18T03:00:00Z",
  };
  for (const [message, sent_at] of Object.entries(evening)) {
    await client.write(contact, { message, sent_at });
  }
  const saturday = await client.read({ start: "2018-02-17", end: "2018-02-17" });
  assertEquals(contents(saturday), ["23:30 in summer", "23:30 in winter"]);
  const offsets = await client.read({ start: "2018-02-17", end: "2018-02-18", format: "raw" });
  assertEquals(offsets.body.messages.map((row: { sentAt: string }) => row.sentAt), [
    "2018-02-18T01:30:00.000Z",
    "2018-02-18T02:30:00.000Z",
    "2018-02-18T03:00:00.000Z",
  ]);
});
