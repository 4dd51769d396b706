import { defaultSendWindow } from "../../../functions/admin-api/instance_contract.ts";
import {
  demoContactId,
  demoConversationId,
  demoOfficialInstanceId,
  demoPhone,
} from "../../../shared/openapi/demo_fixtures.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createToken } from "../../support/fixtures/tenant.ts";
import { demoInstanceId, demoTarget, newPhone, startService } from "./service.ts";

const sendMessage = "/functions/v1/send-message";
const text = { ...demoTarget, messageType: "text", message: "Olá" };
const queued = { ...text, queued: true };

Deno.test("specification 8, queue interval: 30 s by default, 10 to 3600 s", async () => {
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

Deno.test("specification 8, queue send window: 08:00 to 20:00 on business days, in the instance's time zone", async () => {
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
  // Three days of slots an hour apart cross nights and, from any day, at least one boundary.
  for (let slot = 0; slot < 40; slot++) {
    const { scheduledFor } = await service.post(sendMessage, { ...queued, intervalSeconds: 3_600 });
    assert(scheduledFor.endsWith("+09:00"), scheduledFor);
    const local = new Date(scheduledFor.replace("+09:00", "Z"));
    const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
    assert(minute >= 8 * 60 && minute < 20 * 60, scheduledFor);
    assert(local.getUTCDay() >= 1 && local.getUTCDay() <= 5, scheduledFor);
  }
});

Deno.test("specification 8, AI-agent pause: 30 minutes per contact, renewed on each send", async () => {
  await using service = await startService();
  const pausedFor = async (phone: string): Promise<number> => {
    const answer = await service.post(sendMessage, { ...text, phone });
    return (Date.parse(answer.aiAgentPausedUntil) - Date.now()) / 60_000;
  };
  for (const phone of [newPhone, newPhone, demoPhone]) {
    const minutes = await pausedFor(phone);
    assert(minutes > 29.5 && minutes <= 30, `${minutes} minutes`);
  }
  const [row] = await service.sql`select count(*)::int as count from messaging.agent_pauses`;
  assertEquals(row?.["count"], 2);
});

Deno.test("specification 8, limit: messages-context returns at most 100 messages by default", async () => {
  await using service = await startService();
  await service.sql`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status, sent_at
    )
    select ${demoInstanceId}, ${demoContactId}, ${demoConversationId}, 'inbound', 'text', 'Olá',
      'received', now() - make_interval(secs => n)
    from generate_series(1, 130) as n`;
  const today = new Date().toISOString().slice(0, 10);
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  const read = async (members: Record<string, unknown>): Promise<number> => {
    const query = { instanceId: "demo", phone: demoPhone, start: day, end: today, ...members };
    const { body } = await service.call("GET", "/functions/v1/messages-context", query);
    assertEquals(body.conversation.length, body.totalMessages);
    return body.totalMessages;
  };
  assertEquals(await read({}), 100);
  assertEquals(await read({ limit: 7 }), 7);
  assert(await read({ limit: 1_000 }) > 130);
});

/** The listed types, and which messageType carries them. */
const mediaTypes = [
  ["jpg", ["image", "document"]],
  ["png", ["image", "document"]],
  ["mp3", ["audio", "document"]],
  ["wav", ["audio", "document"]],
  ["mp4", ["document"]],
  ["pdf", ["document"]],
  ["exe", []],
  ["html", []],
] as const;

Deno.test("specification 8, media URL: public and https, of the listed types", async () => {
  await using service = await startService();
  const accepts = async (messageType: string, mediaUrl: string): Promise<boolean> => {
    const call = { ...demoTarget, messageType, mediaUrl };
    const { status, body } = await service.call("POST", sendMessage, call);
    if (status === 200) return true;
    assertEquals([status, body.issues[0].path], [400, "mediaUrl"], mediaUrl);
    return false;
  };
  for (const [extension, carriers] of mediaTypes) {
    for (const type of ["image", "audio", "document"]) {
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

Deno.test("specification 8, outside-window sending: after 24 hours of silence only a template goes", async () => {
  await using service = await startService();
  const { token } = await createToken(service.sql, demoOfficialInstanceId);
  const send = async (phone: string): Promise<string> => {
    const response = await service.contract.request("send-message", "/send-message", {
      method: "POST",
      headers: { "X-Client-Token": token, "Content-Type": "application/json" },
      body: JSON.stringify({ ...text, instanceId: demoOfficialInstanceId, phone }),
    });
    const body = await response.json();
    return body.error ?? body.mode;
  };
  for (const [phone, hours] of [["5511966660001", 23], ["5511966660002", 25]] as const) {
    await service.sql`
      insert into messaging.contacts (instance_id, phone, identity_key, origin, last_inbound_at)
      values (${demoOfficialInstanceId}, ${phone}, ${phone}, 'api',
        now() - make_interval(hours => ${hours}))`;
  }
  assertEquals(await send("5511966660001"), "sent");
  assertEquals(await send("5511966660002"), "outside_conversation_window");
});
