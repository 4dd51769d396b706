import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { type Answer, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { letTimePass } from "../../support/database/time_travel.ts";

const phone = "5511987654321";
const text = { phone, messageType: "text", message: "Olá" };
const offset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/;

Deno.test("POST /send-message queued gives one slot per interval under 60 simultaneous calls", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const before = Date.now();
  const answers = await Promise.all(
    Array.from(
      { length: 60 },
      (_, index) =>
        stack.send(tenant, { ...text, message: `${index}`, queued: true, intervalSeconds: 600 }),
    ),
  );
  const slots = answers.map(readSlot).sort((a, b) => a - b);
  const gaps = slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0));
  // No interval is over before the last call has its slot.
  assertEquals(gaps, new Array(59).fill(600_000));
  assert((slots[0] ?? 0) >= before - 2 && (slots[0] ?? 0) <= Date.now());
  for (const { body } of answers) {
    assertEquals([body.success, body.mode, body.status, body.providerMessageId], [
      true,
      "queued",
      "queued",
      null,
    ]);
    assertMatch(body.scheduledFor, offset);
    assertEquals(body.heldBy, Date.parse(body.scheduledFor) === slots[0] ? null : "interval");
  }
});

Deno.test("the interval is 30 s by default, the call's own otherwise, counted from the last slot", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const other = await stack.createTenant();
  const slots: number[] = [];
  for (const intervalSeconds of [undefined, undefined, 10, 3_600, 10]) {
    slots.push(readSlot(await stack.send(tenant, { ...text, queued: true, intervalSeconds })));
  }
  assertEquals(slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0)), [
    30_000,
    10_000,
    3_600_000,
    10_000,
  ]);
  const elsewhere = readSlot(await stack.send(other, { ...text, queued: true }));
  assert(elsewhere <= Date.now(), "instances do not wait for each other");
});

Deno.test("a slot whose interval is long over is now; a message due at once leaves after the answer", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.send(tenant, { ...text, queued: true });
  await stack.finishBackground();
  assertEquals(stack.provider.requests.length, 1);
  await letTimePass(stack.admin, 31);
  const before = Date.now();
  const answer = await stack.send(tenant, { ...text, queued: true });
  assertEquals(answer.body.heldBy, null);
  assert(readSlot(answer) >= before - 2 && readSlot(answer) <= Date.now());
  await stack.finishBackground();
  assertEquals(stack.provider.requests.length, 2);
});

Deno.test("an immediate send neither waits for the queue nor takes a slot of it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const first = readSlot(await stack.send(tenant, { ...text, queued: true }));
  assertEquals((await stack.send(tenant, text)).body.mode, "sent");
  const second = readSlot(await stack.send(tenant, { ...text, queued: true }));
  assertEquals(second - first, 30_000);
});

Deno.test("delayMessage alone is scheduled to the second, in the instance's time zone; 0 is at once", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ timeZone: "Asia/Kolkata" });
  const before = Date.now();
  const answer = await stack.send(tenant, { ...text, delayMessage: 86_400 });
  const after = Date.now();
  const { mode, heldBy, status, scheduledFor } = answer.body;
  assertEquals([mode, heldBy, status], ["scheduled", "delay", "queued"]);
  assert(scheduledFor.endsWith("+05:30"));
  const askedAt = Date.parse(scheduledFor) - 86_400_000;
  assert(askedAt >= before - 1_000 && askedAt <= after + 1_000, scheduledFor);
  assertEquals((await stack.send(tenant, { ...text, delayMessage: 0 })).body.mode, "sent");
});

Deno.test("with queued the slot is not earlier than the delay, and not earlier than the pace", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const before = Date.now();
  const delayed = await stack.send(tenant, { ...text, queued: true, delayMessage: 100 });
  const after = Date.now();
  assertEquals([delayed.body.mode, delayed.body.heldBy], ["queued", "delay"]);
  const askedAt = readSlot(delayed) - 100_000;
  assert(askedAt >= before - 1_000 && askedAt <= after + 1_000, delayed.body.scheduledFor);
  const paced = await stack.send(tenant, { ...text, queued: true, delayMessage: 90 });
  assertEquals(paced.body.heldBy, "interval");
  assertEquals(readSlot(paced) - readSlot(delayed), 30_000);
});

Deno.test("a delayed message of the queue gets the slot of a call at that time, and holds up none that is queued meanwhile", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const asked = Date.now();
  const send = (message: string, timing: object): Promise<Answer> =>
    stack.send(tenant, { ...text, message, queued: true, ...timing });
  const tomorrow = await send("tomorrow", { delayMessage: 86_400 });
  const sendAt = new Date(readSlot(tomorrow)).toISOString();
  const beside = await send("beside", { sendAt });
  assertEquals(readSlot(beside) - readSlot(tomorrow), 30_000);
  for (const [place, message] of ["now", "next", "third"].entries()) {
    const late = readSlot(await send(message, {})) - asked - place * 30_000;
    assert(late > -1_000 && late < 30_000, `${message}: ${late} ms`);
  }
  const soon = await send("soon", { delayMessage: 3_600 });
  const late = readSlot(soon) - asked - 3_600_000;
  assert(late > -1_000 && late < 30_000, `${late} ms`);
});

Deno.test("outside the window the slot is the next opening, and says whether window or holiday held it", async () => {
  await using stack = await startMessagingStack();
  const { timeZone, shiftMs, written } = findNoon();
  const day = (ahead: number): Date => new Date(Date.now() + shiftMs + ahead * 86_400_000);
  const isoDay = (ahead: number): number => day(ahead).getUTCDay() || 7;
  const date = (ahead: number): string => day(ahead).toISOString().slice(0, 10);
  const window = { start: "00:00", end: "24:00", days: [isoDay(2)] };
  const closed = await stack.createTenant({ timeZone, window });
  const first = await stack.send(closed, { ...text, queued: true });
  assertEquals(first.body.heldBy, "window");
  assertEquals(first.body.scheduledFor, `${date(2)}T00:00:00.000${written}`);
  const second = await stack.send(closed, { ...text, queued: true });
  assertEquals(second.body.scheduledFor, `${date(2)}T00:00:30.000${written}`);
  const holiday = await stack.createTenant({ timeZone, holidays: [date(0), date(1)] });
  const held = await stack.send(holiday, { ...text, queued: true });
  assertEquals(held.body.heldBy, "holiday");
  assertEquals(held.body.scheduledFor, `${date(2)}T00:00:00.000${written}`);
  await stack.finishBackground();
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("a typed message leaves after its typing: the next slot counts from then, and both lie in the window", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "evolution" });
  const typed = { ...text, queued: true, intervalSeconds: 10, delayTyping: 15_000 };
  const slots: number[] = [];
  for (let count = 0; count < 3; count++) slots.push(readSlot(await stack.send(tenant, typed)));
  assertEquals(slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0)), [25_000, 25_000]);

  // Where it is noon, a window that closes in ten seconds is not near midnight.
  const { timeZone, shiftMs } = findNoon();
  const closesAt = Date.now() + 10_000 + shiftMs;
  const closing = await stack.createTenant({
    provider: "evolution",
    timeZone,
    window: {
      start: "00:00",
      end: new Date(closesAt).toISOString().slice(11, 19),
      days: [1, 2, 3, 4, 5, 6, 7],
    },
  });
  const late = await stack.send(closing, typed);
  const behind = await stack.send(closing, { ...typed, delayTyping: undefined });
  assertEquals([late.body.heldBy, behind.body.heldBy], ["window", "interval"]);
  assertEquals((readSlot(late) + shiftMs) % 86_400_000, 0);
  assertEquals(readSlot(behind) - readSlot(late), 25_000);
});

Deno.test("a window that never opens refuses the call and stores nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await stack.admin`
    insert into messaging.holidays (instance_id, day)
    select ${tenant.instanceId}, current_date + ahead from generate_series(-3, 1200) ahead`;
  const answer = await stack.send(tenant, { ...text, queued: true });
  assertEquals([answer.status, answer.body.error], [409, "send_window_never_opens"]);
  assertEquals((await stack.admin`select 1 from messaging.messages`).length, 0);
  assertEquals((await stack.send(tenant, text)).body.mode, "sent", "not paced, not held");
});

/** A time zone where it is noon, so that no day ends during a test; its offset as slots are written. */
function findNoon(): { timeZone: string; shiftMs: number; written: string } {
  const hours = 12 - new Date().getUTCHours();
  const size = Math.abs(hours);
  return {
    // The names count to the west.
    timeZone: `Etc/GMT${hours > 0 ? "-" : "+"}${size}`,
    shiftMs: hours * 3_600_000,
    written: `${hours < 0 ? "-" : "+"}${String(size).padStart(2, "0")}:00`,
  };
}

function readSlot(answer: Answer): number {
  assertEquals(answer.status, 200, JSON.stringify(answer.body));
  return Date.parse(answer.body.scheduledFor);
}
