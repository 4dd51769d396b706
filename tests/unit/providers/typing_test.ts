/** What each gateway tells of a person who is writing. */
import { assertEquals } from "../../support/assert.ts";
import { wahaEvent } from "../../support/providers/waha/facts.ts";
import { readEvents } from "./event_payloads.ts";

const phone = "5511987654321";
const group = "120363019502650977-group";
const presence = (isTyping: boolean, address = phone) => [{
  ...{ kind: "presence", isTyping, address, otherAddresses: [] },
}];

Deno.test("a gateway's presence says whether somebody writes or records", () => {
  const zapi = (status: string, chat = phone): unknown =>
    readEvents("zapi", { type: "PresenceChatCallback", phone: chat, status, lastSeen: null });
  const evolution = (lastKnownPresence: string): unknown => {
    const id = `${phone}@s.whatsapp.net`;
    return readEvents("evolution", {
      event: "presence.update",
      data: { id, presences: { [id]: { lastKnownPresence } } },
    });
  };
  const waha = (lastKnownPresence: string): unknown => {
    const id = `${phone}@c.us`;
    const presences = [{ participant: id, lastKnownPresence, lastSeen: null }];
    return readEvents("waha", wahaEvent("presence.update", { id, presences }));
  };
  for (const word of ["COMPOSING", "RECORDING"]) assertEquals(zapi(word), presence(true), word);
  assertEquals(zapi("COMPOSING", group), presence(true, group));
  for (const word of ["composing", "recording"]) {
    assertEquals(evolution(word), presence(true), word);
  }
  for (const word of ["typing", "recording"]) assertEquals(waha(word), presence(true), word);
  for (const word of ["AVAILABLE", "UNAVAILABLE", "PAUSED"]) {
    assertEquals(zapi(word), presence(false), word);
  }
  for (const word of ["available", "unavailable", "paused"]) {
    assertEquals(evolution(word), presence(false), word);
  }
  for (const word of ["online", "offline", "paused"]) {
    assertEquals(waha(word), presence(false), word);
  }
  for (const event of [{ event: "presence.update", data: {} }, { event: "presence.update" }]) {
    assertEquals(readEvents("evolution", event), []);
  }
});
