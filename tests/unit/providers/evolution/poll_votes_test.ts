import { assertEquals } from "../../../support/assert.ts";
import { evolutionEvent, readEvents } from "../event_payloads.ts";

type Json = Record<string, unknown>;
const ana = "5511987654321@s.whatsapp.net";
const own = "5511900000000@s.whatsapp.net";

/** The votes that an update of the poll `POLL` tells. */
function read(pollUpdates: unknown, members: Json = {}, event = "messages.update"): Json[] {
  const data = { keyId: "POLL", remoteJid: ana, fromMe: true, status: "SERVER_ACK", ...members };
  return readEvents("evolution", evolutionEvent(event, { ...data, pollUpdates }));
}

/** Who voted on what, of each event. */
function tell(events: Json[]): unknown[] {
  return events.map(({ kind, address, messageType, pollVote, quotedProviderMessageId }) => {
    assertEquals([kind, messageType, quotedProviderMessageId], ["message", "poll_vote", "POLL"]);
    return [address, (pollVote as Json)["options"]];
  });
}

Deno.test("a vote in an update of the poll is a message of its voter, in every spelling", () => {
  const votes = [{ name: "Segunda", voters: [] }, { name: "Terça", voters: [ana] }];
  for (const event of ["messages.update", "MESSAGES_UPDATE", "messages-update"]) {
    assertEquals(tell(read(votes, {}, event)), [["5511987654321", ["Terça"]]]);
  }
  const key = { remoteJid: ana, fromMe: true, id: "POLL" };
  const inKey = { keyId: undefined, remoteJid: undefined, key };
  assertEquals(tell(read(votes, inKey)), [["5511987654321", ["Terça"]]]);
  const both = [{ name: "Segunda", voters: [ana] }, { name: "Terça", voters: [ana] }];
  assertEquals(tell(read(both)), [["5511987654321", ["Segunda", "Terça"]]]);
});

Deno.test("a vote shows the phone and the hidden identity of its voter together", () => {
  const [vote] = read([{ name: "Terça", voters: ["81896604192873@lid"] }]);
  assertEquals([vote?.["address"], vote?.["otherAddresses"]], [
    "5511987654321",
    ["81896604192873@lid"],
  ]);
});

Deno.test("each voter of a group has a vote of its own, under the voter's name", () => {
  const votes = [{ name: "A", voters: [ana, "5521988887777:3@s.whatsapp.net"] }];
  const events = read(votes, { remoteJid: "1203630@g.us" });
  assertEquals(tell(events), [["1203630@g.us", ["A"]], ["1203630@g.us", ["A"]]]);
  assertEquals(events.map(({ author }) => (author as Json)["phone"]), [
    "5511987654321",
    "5521988887777",
  ]);
  assertEquals(events[0]?.["isGroup"], true);
});

Deno.test("a vote taken back chooses nothing; our own votes and a poll without options are none", () => {
  assertEquals(tell(read([{ name: "A", voters: [] }])), [["5511987654321", []]]);
  assertEquals(read([{ name: "A", voters: [] }], { remoteJid: "1203630@g.us" }), []);
  for (const voter of ["", "me", own]) assertEquals(read([{ name: "A", voters: [voter] }]), []);
  assertEquals(read([]).map(({ kind }) => kind), ["status"]);
  assertEquals(read(undefined).map(({ kind }) => kind), ["status"]);
});

Deno.test("a repeated telling of a vote has the same id, a vote of later has another", () => {
  const votes = [{ name: "A", voters: [ana] }];
  const [id] = read(votes).map((event) => event["providerMessageId"]);
  assertEquals(read(votes)[0]?.["providerMessageId"], id);
  const data = { keyId: "POLL", remoteJid: ana, pollUpdates: votes };
  const later = {
    ...evolutionEvent("messages.update", data),
    date_time: "2026-11-20T09:00:07.000Z",
  };
  assertEquals(readEvents("evolution", later)[0]?.["providerMessageId"] === id, false);
});
