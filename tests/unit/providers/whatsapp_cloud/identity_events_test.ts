import { assertEquals } from "../../../support/assert.ts";
import { cloudChange, cloudMessage, readEvent, readEvents } from "../event_payloads.ts";

type Json = Record<string, unknown>;

function system(members: Json, beside: Json = {}): Json {
  return cloudChange({ messages: [{ id: "wamid.S", type: "system", system: members, ...beside }] });
}

Deno.test("a changed user id is read where the old one stands beside the message alone", () => {
  const change = { type: "user_changed_user_id", user_id: "BR.2" };
  const expected = [{
    ...{ kind: "number_change", eventId: "wamid.S", isUserId: true },
    ...{ oldAddress: "BR.1", newAddress: "BR.2" },
  }];
  for (const beside of [{ from_user_id: "BR.1" }, { from: "BR.1" }]) {
    assertEquals(readEvents("whatsapp_cloud", system(change, beside)), expected);
  }
  const both = { ...change, previous_user_id: "BR.1" };
  assertEquals(
    readEvents("whatsapp_cloud", system(both, { from_user_id: "BR.2" })),
    expected,
  );
});

Deno.test("a changed number keeps its new one, whichever of its former ids the message names", () => {
  const change = { type: "user_changed_number", wa_id: "5521988887777" };
  const numberOf = (members: Json, beside: Json): unknown =>
    readEvents("whatsapp_cloud", system(members, beside)).map(({ oldAddress, newAddress }) => [
      oldAddress,
      newAddress,
    ]);
  assertEquals(numberOf(change, { from: "5511977776666" }), [["5511977776666", "5521988887777"]]);
  assertEquals(numberOf(change, { from_user_id: "BR.1" }), [["BR.1", "5521988887777"]]);
  assertEquals(numberOf({ ...change, customer: "5511977776666" }, {}), [
    ["5511977776666", "5521988887777"],
  ]);
  assertEquals(
    numberOf({ ...change, body: "User Ana changed from 5511977776666 to 5521988887777" }, {}),
    [["5511977776666", "5521988887777"]],
  );
  assertEquals(
    numberOf({ ...change, previous_user_id: "BR.1", user_id: "BR.2" }, {}),
    [["BR.1", "5521988887777"], ["BR.1", "BR.2"]],
  );
  assertEquals(numberOf(change, {}), []);
});

Deno.test("a username is one, with or without @ and in any case", () => {
  const usernameOf = (username: string): unknown =>
    (readEvent(
      "whatsapp_cloud",
      cloudChange({
        contacts: [{ profile: { name: "Ana", username }, wa_id: "5511987654321" }],
        messages: [{ from: "5511987654321", id: "A", type: "text", text: { body: "oi" } }],
      }),
    )?.["otherAddresses"] as string[])[0];
  for (const username of ["ana.silva", "@ana.silva", " @Ana.Silva "]) {
    assertEquals(usernameOf(username), "username:ana.silva");
  }
  assertEquals(usernameOf("@"), undefined);
});

Deno.test("a group's id of digits is a group's, never a phone", () => {
  for (const group_id of ["12036302394875", 12036302394875]) {
    const event = readEvent(
      "whatsapp_cloud",
      cloudMessage({ type: "text", text: { body: "oi" }, group_id }),
    );
    assertEquals([event?.["isGroup"], event?.["address"]], [true, "12036302394875@g.us"]);
  }
  const named = cloudMessage({ type: "text", text: { body: "oi" }, group_id: "Y2FwaV9ncm91cDo" });
  assertEquals(readEvent("whatsapp_cloud", named)?.["address"], "Y2FwaV9ncm91cDo");
});
