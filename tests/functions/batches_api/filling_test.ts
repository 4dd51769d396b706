/** What filling a list may make, and how long it keeps others waiting. */

import type { BatchSource, EntryContact } from "../../../shared/database/rpcs/batches.ts";
import type { MessageRequest } from "../../../shared/model/message_request.ts";
import { type BatchChannel, fillEntries } from "../../../functions/batches-api/fill_entries.ts";
import { readEntries } from "../../../functions/batches-api/entries.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { callBatches, phoneOf } from "../../support/fixtures/batch_calls.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

const places = (count: number): MessageRequest => ({
  messageType: "text",
  message: "{{a}}".repeat(count),
});
const listOf = (count: number, a: unknown): { phone: string; variables: { a: unknown } }[] =>
  Array.from({ length: count }, (_, index) => ({ phone: phoneOf(index), variables: { a } }));

Deno.test("a value in many places is refused by the length that it would make, for one and for many", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const dryRun = (body: object) =>
    callBatches(stack, tenant, "POST", "/batches", { dryRun: true, ...body });
  const message = places(12_000);
  for (const count of [1, 950]) {
    const { status, body } = await dryRun({
      message,
      recipients: listOf(count, "x".repeat(4_000)),
    });
    assertEquals([status, body.summary.skip], [200, { invalid_recipient: count }]);
  }
  const strict = await callBatches(stack, tenant, "POST", "/batches", {
    message,
    recipients: listOf(2, "x".repeat(4_000)),
  });
  assertEquals([strict.status, strict.body.issues], [
    400,
    [0, 1].map((place) => ({
      path: `recipients.${place}.message`,
      message: "is longer than 65536 characters once it is filled",
    })),
  ]);
});

Deno.test("messages that are too long together are refused, each of which may be sent alone", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const dryRun = (count: number) =>
    callBatches(stack, tenant, "POST", "/batches", {
      dryRun: true,
      message: places(12_000),
      recipients: listOf(count, "short"),
    });
  assertEquals((await dryRun(1)).body.summary.send, 1);
  const { status, body } = await dryRun(400);
  assertEquals([status, body.error, body.issues.length], [400, "invalid_request", 1]);
  assertEquals(body.issues[0].path, "recipients");
});

Deno.test("a variable whose name no entry can give is refused, and missing ones are told a hundred at most", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const names = Array.from({ length: 500 }, (_, index) => `{{v${index}}}`).join("");
  const call = (message: string) =>
    callBatches(stack, tenant, "POST", "/batches", {
      message: { messageType: "text", message },
      recipients: listOf(300, "a"),
    });
  const long = await call(`{{${"x".repeat(201)}}}`);
  assertEquals([long.status, long.body.issues[0].path], [400, "message.message"]);
  const { status, body } = await call(names);
  assertEquals([status, body.error, body.issues.length], [400, "invalid_request", 100]);
  assertEquals(body.errors.length, 300);
  const told = body.errors.map(({ issues }: { issues: unknown[] }) => issues.length);
  assertEquals([told[0], told.at(-1)], [100, 1]);
  assertEquals(body.issues[0].path, "recipients.0.variables.v0");
});

Deno.test("reading and filling a list gives way to others", async () => {
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      turns += 1;
    }
  })();
  const variables = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`k${n}`, `${n}`]));
  const received = Array.from({ length: 1_000 }, (_, n) => ({ phone: phoneOf(n), variables }));
  const { entries } = await readEntries("instance", received);
  const turnsOfReading = turns;
  assert(turnsOfReading > 2, `${turnsOfReading} turns while the list was read`);
  const source: BatchSource = { message: places(12_000) };
  const contacts: (EntryContact | null)[] = entries.map(() => null);
  const wide = entries.map((entry) =>
    entry.recipient === null
      ? entry
      : { recipient: { ...entry.recipient, variables: { a: "x".repeat(60) } } }
  );
  const filled = await fillEntries(
    {
      noteIgnored: () => {},
      instance: { connectedPhone: "551140001234" },
    } as unknown as BatchChannel,
    source,
    wide,
    contacts,
  );
  assert(turns - turnsOfReading > 2, `${turns - turnsOfReading} turns while it was filled`);
  assertEquals(filled.errors.length, 1_000);
  isOver = true;
  await others;
});
