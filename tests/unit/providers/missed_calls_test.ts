/** Missed calls and statuses of groups, as each provider tells them. */
import { assertEquals } from "../../support/assert.ts";
import { cloudChange, evolutionEvent, readEvent, zapiMessage } from "./event_payloads.ts";

const phone = "5511987654321";

Deno.test("a missed call is a message of its own kind that asks no agent, on every provider", () => {
  const from = `${phone}@s.whatsapp.net`;
  const events = [
    readEvent("zapi", zapiMessage({ notification: "CALL_MISSED_VIDEO", callId: "C1" })),
    readEvent(
      "evolution",
      evolutionEvent("call", { id: "C1", from, status: "timeout", isVideo: true }),
    ),
    readEvent(
      "whatsapp_cloud",
      cloudChange({
        calls: [{
          ...{ id: "C1", from: phone, event: "terminate", status: "FAILED" },
          ...{ direction: "USER_INITIATED", timestamp: "1749416383" },
        }],
      }, "calls"),
    ),
  ];
  const kinds = ["video", "video", "voice"];
  assertEquals(
    events.map((event) => [event?.["messageType"], event?.["call"], event?.["isUnreadable"]]),
    kinds.map((kind) => ["call", { kind, callId: "C1" }, true]),
  );
  assertEquals(events.map((event) => event?.["address"]), [phone, phone, phone]);
});

Deno.test("a call that rings or was answered gives no message", () => {
  const from = `${phone}@s.whatsapp.net`;
  const events = [
    readEvent("zapi", zapiMessage({ notification: "CALL_VOICE", callId: "C1" })),
    readEvent("evolution", evolutionEvent("call", { id: "C1", from, status: "accept" })),
    readEvent(
      "whatsapp_cloud",
      cloudChange({
        calls: [{ id: "C1", from: phone, event: "terminate", status: "COMPLETED" }],
      }, "calls"),
    ),
  ];
  assertEquals(events, [undefined, undefined, undefined]);
});

Deno.test("one member's reading does not mark a group's message as read", () => {
  const events = [
    readEvent("zapi", {
      ...{ type: "MessageStatusCallback", status: "READ", ids: ["A"], isGroup: true },
    }),
    readEvent(
      "evolution",
      evolutionEvent("messages.update", { keyId: "A", remoteJid: "1@g.us", status: "READ" }),
    ),
    readEvent(
      "whatsapp_cloud",
      cloudChange({ statuses: [{ id: "A", status: "read", recipient_type: "group" }] }),
    ),
  ];
  assertEquals(events.map((event) => event?.["status"]), ["delivered", "delivered", "delivered"]);
  const direct = readEvent("zapi", { type: "MessageStatusCallback", status: "READ", ids: ["A"] });
  assertEquals(direct?.["status"], "read");
});
