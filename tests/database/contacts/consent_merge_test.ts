/** What two contacts have said about marketing, when they turn out to be one person. */

import type { Sql } from "postgres";
import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createTenant, type Tenant } from "../../support/fixtures/tenant.ts";

const oldPhone = "5511987654321";
const newPhone = "5521912345678";

type Said = "granted" | "denied" | null;

/** What the surviving and the vanishing contact have said, the former first, and what stays. */
const merges: readonly (readonly [Said, Said, "kept first" | "gone first", string | null])[] = [
  [null, null, "kept first", null],
  ["granted", null, "kept first", "kept"],
  [null, "granted", "kept first", "gone"],
  ["denied", "granted", "kept first", "kept"],
  ["granted", "denied", "gone first", "gone"],
  ["granted", "granted", "gone first", "kept"],
  ["denied", "denied", "kept first", "gone"],
];

for (const [kept, gone, order, winner] of merges) {
  Deno.test(`of two consents, denied wins, then the newer: ${kept} and ${gone}, ${order}`, async () => {
    await using database = await createTestDatabase();
    const { sql, admin } = database;
    const tenant = await createTenant(admin, { provider: "whatsapp_cloud" });
    await say(sql, tenant, oldPhone, null);
    await record(sql, tenant, {
      ...{ kind: "message", origin: "inbound", providerMessageId: "IN1", address: newPhone },
      ...{ otherAddresses: [], messageType: "text", message: "oi", isGroup: false },
    });
    const statements = [[oldPhone, kept, "kept"], [newPhone, gone, "gone"]] as const;
    for (
      const [phone, said, source] of order === "kept first" ? statements : statements.toReversed()
    ) {
      await say(sql, tenant, phone, said, source);
    }
    await record(sql, tenant, {
      ...{ kind: "number_change", eventId: "SYS1", oldAddress: oldPhone, newAddress: newPhone },
    });
    const contacts = await admin`
      select id, consent_marketing, consent_source from messaging.contacts`;
    const expected = { kept, gone }[winner ?? ""] ?? "unknown";
    assertEquals(
      contacts.map((row) => [row["consent_marketing"], row["consent_source"]]),
      [[expected, winner]],
    );
    const log = await admin`select contact_id from messaging.consent_log`;
    const said = [kept, gone].filter((one) => one !== null);
    assertEquals(log.map((row) => row["contact_id"]), said.map(() => contacts[0]?.["id"]));
    const events = await admin`
      select data from messaging.events
      where type = 'contact.consent_changed' and contact_id = ${contacts[0]?.["id"]}`;
    assertEquals(events.at(-1)?.["data"].consent.marketing ?? "unknown", expected);
  });
}

Deno.test("the log of consent only grows: the service's role can neither change nor delete what was said", async () => {
  await using database = await createTestDatabase();
  const { sql, admin } = database;
  const tenant = await createTenant(admin, { provider: "whatsapp_cloud" });
  await say(sql, tenant, oldPhone, "denied");
  const denied: string[] = [];
  for (
    const change of [
      "update messaging.consent_log set marketing = 'granted'",
      "delete from messaging.consent_log",
      "truncate messaging.consent_log",
    ]
  ) {
    await admin.begin(async (transaction) => {
      await transaction.unsafe("set local role service_role");
      await transaction.unsafe(change);
    }).catch((error) => denied.push(error.code));
  }
  assertEquals(denied, ["42501", "42501", "42501"]);
  await admin`delete from messaging.contacts`;
  assertEquals(
    (await admin`select from messaging.consent_log`).length,
    0,
    "it goes with its contact",
  );
});

async function say(
  sql: Sql,
  { instanceId }: Tenant,
  phone: string,
  marketing: Said,
  source = "api",
): Promise<void> {
  if (marketing === null) {
    await callFunction(sql, "save_contact", {
      ...{ instanceId, phone, fields: {}, tags: null, idempotency: null },
    });
    return;
  }
  await callFunction(sql, "set_contact_consent", {
    ...{ instanceId, phone, marketing, source, idempotency: null },
  });
}

async function record(
  sql: Sql,
  { instanceId }: Tenant,
  event: Readonly<Record<string, unknown>>,
): Promise<void> {
  const [instance] = await sql`
    select sealed_provider_config from messaging.instances where id = ${instanceId}`;
  await callFunction(sql, "record_provider_events", {
    instanceId,
    sealedProviderConfig: instance?.["sealed_provider_config"],
    payload: "{}",
    events: [event],
  });
}
