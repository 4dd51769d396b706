import { assertEquals } from "../../../support/assert.ts";
import { cloudChange, readEvents } from "../event_payloads.ts";

type Json = Record<string, unknown>;

const at = "2026-11-20T12:00:00.000Z";

function accountUpdate(value: Json): Json {
  const { entry } = cloudChange(value, "account_update") as { entry: Json[] };
  return { entry: [{ ...entry[0], time: Date.parse(at) / 1_000 }] };
}

function read(value: Json): Json[] {
  return readEvents("whatsapp_cloud", accountUpdate(value));
}

Deno.test("a restriction ends when it says, as a number, as digits or as a date", () => {
  const until = "2026-12-01T00:00:00.000Z";
  const seconds = Date.parse(until) / 1_000;
  for (const expiration of [seconds, `${seconds}`, seconds * 1_000, until, "2026-12-01"]) {
    const restriction_info = [{
      restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING",
      expiration,
    }];
    assertEquals(read({ event: "ACCOUNT_RESTRICTION", restriction_info }), [{
      ...{ kind: "connection", state: "disconnected", at, until },
      reason: "RESTRICTED_BIZ_INITIATED_MESSAGING",
    }], `${expiration}`);
  }
});

Deno.test("an account that left or came back tells its connection, with the reason", () => {
  const left = {
    event: "ACCOUNT_OFFBOARDED",
    disconnection_info: { reason: "PRIMARY_INACTIVITY" },
  };
  assertEquals(read(left), [{
    ...{ kind: "connection", state: "disconnected", at },
    reason: "ACCOUNT_OFFBOARDED: PRIMARY_INACTIVITY",
  }]);
  assertEquals(read({ event: "ACCOUNT_OFFBOARDED", phone_number: "551140001234" }), [{
    ...{ kind: "connection", state: "disconnected", at, phone: "551140001234" },
    reason: "ACCOUNT_OFFBOARDED",
  }]);
  assertEquals(read({ event: "ACCOUNT_RECONNECTED" }), [
    { kind: "connection", state: "connected", at },
  ]);
});

Deno.test("a violation and a ban that is planned are told before they stop anything", () => {
  const violation = { event: "ACCOUNT_VIOLATION", violation_info: { violation_type: "SCAM" } };
  assertEquals(read(violation), [{ kind: "limit", change: "ACCOUNT_VIOLATION: SCAM", at }]);
  const planned = {
    event: "DISABLED_UPDATE",
    ban_info: { waba_ban_state: "SCHEDULE_FOR_DISABLE", waba_ban_date: "2026-12-01" },
  };
  assertEquals(read(planned), [{
    ...{ kind: "limit", change: "SCHEDULE_FOR_DISABLE", at },
    effectiveAt: "2026-12-01T00:00:00.000Z",
  }]);
});

Deno.test("signing up for marketing is a consent", () => {
  const value = {
    contacts: [{ profile: { name: "Ana" }, wa_id: "5511987654321" }],
    user_preferences: [
      { wa_id: "5511987654321", category: "marketing_messages", value: "signup" },
    ],
  };
  const [event] = readEvents("whatsapp_cloud", cloudChange(value, "user_preferences"));
  assertEquals([event?.["kind"], event?.["marketing"]], ["preference", "granted"]);
});
