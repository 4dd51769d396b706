import { assertEquals } from "../../support/assert.ts";
import {
  demoInstanceId,
  demoTarget,
  newPhone,
  type Service,
  startService,
} from "../contract/service.ts";

const contactsApi = "/functions/v1/contacts-api";

/** The fields of the table Contact, their columns, and a first and a later value. */
const contactFields = [
  ["name", "name", "João", "João Silva"],
  ["email", "email", "joao@example.com", "silva@example.com"],
  ["company", "company", "Silva", "Silva & Filhos"],
  ["jobTitle", "job_title", "Vendedor", "Gerente"],
  ["notes", "notes", "Ligar à tarde", "Ligar de manhã"],
  ["utmSource", "utm_source", "google", "instagram"],
  ["utmMedium", "utm_medium", "cpc", "social"],
  ["utmCampaign", "utm_campaign", "bf-2025", "bf-2026"],
] as const;

async function readContact({ sql }: Service, phone: string): Promise<Record<string, unknown>> {
  const rows = await sql`
    select * from messaging.contacts where instance_id = ${demoInstanceId} and phone = ${phone}`;
  assertEquals(rows.length, 1);
  return rows[0] ?? {};
}

// Specification 2, Contact.
Deno.test("every field of a contact is stored, changed alone, and cleared by null", async () => {
  await using service = await startService();
  const first = Object.fromEntries(contactFields.map(([field, , value]) => [field, value]));
  const created = await service.post(`${contactsApi}/create`, { ...demoTarget, ...first });
  assertEquals(created.action, "created");
  const stored = await readContact(service, newPhone);
  assertEquals([stored["id"], stored["origin"]], [created.contactId, "api"]);
  for (const [field, column, value] of contactFields) assertEquals(stored[column], value, field);

  for (const [field, column, , later] of contactFields) {
    const before = await readContact(service, newPhone);
    const updated = await service.post(`${contactsApi}/update`, { ...demoTarget, [field]: later });
    assertEquals([updated.action, updated.fieldsUpdated], ["updated", [field]]);
    const after = await readContact(service, newPhone);
    const changed = { [column]: later, updated_at: after["updated_at"] };
    assertEquals(after, { ...before, ...changed }, field);
    await service.post(`${contactsApi}/update`, { ...demoTarget, [field]: null });
    assertEquals((await readContact(service, newPhone))[column], null, field);
  }
});

// Specification 2, Contact.
Deno.test("an instance has one contact per phone, whichever way the number is spelled", async () => {
  await using service = await startService();
  const path = `${contactsApi}/create`;
  const calls = ["5511977776666", "551177776666"].flatMap((phone) =>
    Array.from({ length: 10 }, () => service.post(path, { ...demoTarget, phone, name: "João" }))
  );
  const answers = await Promise.all(calls);
  assertEquals(new Set(answers.map(({ contactId }) => contactId)).size, 1);
  assertEquals(answers.filter(({ action }) => action === "created").length, 1);
});

// Specification 2, Contact.
Deno.test("the flags of a contact are settable on update only", async () => {
  await using service = await startService();
  const flags = { isFavorite: true, isArchived: true, isBlocked: true };
  const readFlags = async (): Promise<unknown[]> => {
    const contact = await readContact(service, newPhone);
    return [contact["is_favorite"], contact["is_archived"], contact["is_blocked"]];
  };
  await service.post(`${contactsApi}/create`, { ...demoTarget, ...flags });
  assertEquals(await readFlags(), [false, false, false]);
  await service.post(`${contactsApi}/update`, { ...demoTarget, ...flags });
  assertEquals(await readFlags(), [true, true, true]);
  await service.post(`${contactsApi}/update`, { ...demoTarget, isBlocked: false });
  assertEquals(await readFlags(), [true, true, false]);
});

// Specification 2, Contact.
Deno.test("customLabels are merged key by key, and null removes a key", async () => {
  await using service = await startService();
  const merge = async (customLabels: unknown): Promise<unknown> => {
    await service.post(`${contactsApi}/update`, { ...demoTarget, customLabels });
    return (await readContact(service, newPhone))["custom_labels"];
  };
  assertEquals(await merge({ a: 1, b: { c: [2] } }), { a: 1, b: { c: [2] } });
  assertEquals(await merge({ b: "x", d: true }), { a: 1, b: "x", d: true });
  assertEquals(await merge({ a: null }), { b: "x", d: true });
});

// Specification 4.3.
Deno.test("an empty or blank text clears a contact's field, as null does", async () => {
  await using service = await startService();
  const texts = ["name", "email", "company", "jobTitle", "notes", "utmSource", "utmMedium"];
  const all = Object.fromEntries(texts.map((field) => [field, "ana@example.com"]));
  for (const blank of ["", " ", "\n \t", "\u200b"]) {
    await service.post(`${contactsApi}/create`, { ...demoTarget, ...all });
    const empty = Object.fromEntries(texts.map((field) => [field, blank]));
    const cleared = await service.post(`${contactsApi}/update`, { ...demoTarget, ...empty });
    assertEquals(cleared.fieldsUpdated, texts.toSorted());
    const [contact] = await service.sql`
      select name, email, company, job_title, notes, utm_source, utm_medium from messaging.contacts
      where identity_key = ${demoTarget.phone}`;
    assertEquals(Object.values(contact ?? {}), texts.map(() => null), JSON.stringify(blank));
  }
});
