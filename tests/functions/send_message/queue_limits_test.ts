import { defaultSendWindow } from "../../../shared/model/instance_settings.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { demoInstanceId, demoTarget, startService } from "../contract/service.ts";

const sendMessage = "/functions/v1/send-message";
const text = { ...demoTarget, messageType: "text", message: "Olá" };
const queued = { ...text, queued: true };

// Specification 8, queue interval.
Deno.test("the queue interval is 30 s by default, and 10 to 3600 s", async () => {
  await using service = await startService();
  const gapAfter = async (members: Record<string, unknown>): Promise<number> => {
    const at = async (body: Record<string, unknown>): Promise<number> =>
      Date.parse((await service.post(sendMessage, body)).scheduledFor);
    const before = await at({ ...queued, intervalSeconds: 3_600 });
    return (await at({ ...queued, ...members }) - before) / 1_000;
  };
  assertEquals(await gapAfter({}), 30);
  assertEquals(await gapAfter({ intervalSeconds: 10 }), 10);
  assertEquals(await gapAfter({ intervalSeconds: 3_600 }), 3_600);
  for (const intervalSeconds of [9, 3_601]) {
    const { status, body } = await service.call("POST", sendMessage, {
      ...queued,
      intervalSeconds,
    });
    assertEquals([status, body.issues[0].path], [400, "intervalSeconds"]);
  }
});

// Specification 8, queue send window.
Deno.test("the queue's send window is 08:00 to 20:00 on business days, in the instance's time zone", async () => {
  assertEquals(defaultSendWindow, {
    start: "08:00",
    end: "20:00",
    days: [1, 2, 3, 4, 5],
    holidays: [],
  });
  await using service = await startService();
  await service.sql`
    update messaging.instances set window_start = '08:00', window_end = '20:00',
      window_days = '{1,2,3,4,5}', time_zone = 'Asia/Tokyo' where id = ${demoInstanceId}`;
  // Three days of slots an hour apart cross several nights, from whichever weekday they begin.
  for (let slot = 0; slot < 40; slot++) {
    const { scheduledFor } = await service.post(sendMessage, { ...queued, intervalSeconds: 3_600 });
    assert(scheduledFor.endsWith("+09:00"), scheduledFor);
    const local = new Date(scheduledFor.replace("+09:00", "Z"));
    const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
    assert(minute >= 8 * 60 && minute < 20 * 60, scheduledFor);
    assert(local.getUTCDay() >= 1 && local.getUTCDay() <= 5, scheduledFor);
  }
});
