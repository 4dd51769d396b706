/** Each field of the contract is a column that `save_contact` writes and `merge_contacts` keeps. */

import type { Sql } from "postgres";
import type * as z from "zod";
import { updateContactSchema } from "../../../functions/contacts-api/contract.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const {
  instanceId: _instance,
  phone: _phone,
  contactId: _contactId,
  userId: _userId,
  tags: _tags,
  ...contactFields
} = updateContactSchema.shape;

/** Values of which every field takes one: text, day, flag, object, number. */
const candidates: readonly unknown[] = ["a@example.com", "2026-12-25", true, { crm: "1" }, 7];

/** A duplicate is archived with the contact only if both are. */
const decidedOtherwise: ReadonlySet<string> = new Set(["isArchived"]);

function sampleOf(field: z.ZodType): unknown {
  return candidates.find((value) => field.safeParse(value).success);
}

function toColumn(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type Row = Readonly<Record<string, unknown>>;

async function readContact(sql: Sql, contactId: string): Promise<Row> {
  const [row] = await sql`select * from messaging.contacts where id = ${contactId}`;
  return row ?? {};
}

async function save(
  sql: Sql,
  instanceId: string,
  phone: string,
  fields: Row,
): Promise<{ contactId: string; fieldsUpdated: readonly string[] }> {
  return await callFunction(sql, "save_contact", { instanceId, phone, fields, tags: null });
}

Deno.test("every contact field of the contract is stored by save_contact in its own column", async (test) => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  for (const [index, [name, field]] of Object.entries(contactFields).entries()) {
    await test.step(name, async () => {
      const sample = sampleOf(field);
      assert(sample !== undefined, `add a value that ${name} takes to the candidates`);
      const phone = `55119876500${String(index).padStart(2, "0")}`;
      const { contactId } = await save(database.sql, instanceId, phone, {});
      const before = await readContact(database.admin, contactId);
      assert(toColumn(name) in before, `contacts has no column ${toColumn(name)}`);
      const { fieldsUpdated } = await save(database.sql, instanceId, phone, { [name]: sample });
      assertEquals(fieldsUpdated, [name]);
      const after = await readContact(database.admin, contactId);
      const changed = Object.keys(after).filter((column) =>
        column !== "updated_at" && JSON.stringify(after[column]) !== JSON.stringify(before[column])
      );
      assertEquals(changed, [toColumn(name)]);
    });
  }
});

Deno.test("every contact field of the contract survives the merging of two contacts", async (test) => {
  await using database = await createTestDatabase();
  const { instanceId } = await createTenant(database.admin);
  const { sql, admin } = database;
  const samples = Object.fromEntries(
    Object.entries(contactFields).map(([name, field]) => [name, sampleOf(field)]),
  );
  const kept = await save(sql, instanceId, "5511987650001", {});
  const gone = await save(sql, instanceId, "5511987650002", samples);
  const wanted = await readContact(admin, gone.contactId);
  await admin`
    select messaging.merge_contacts(kept, gone) from messaging.contacts kept, messaging.contacts gone
    where kept.id = ${kept.contactId} and gone.id = ${gone.contactId}`;
  const merged = await readContact(admin, kept.contactId);
  for (const name of Object.keys(samples).filter((name) => !decidedOtherwise.has(name))) {
    await test.step(name, () => {
      assertEquals(merged[toColumn(name)], wanted[toColumn(name)]);
    });
  }
});

/** What a contact is, which no merging changes. */
const identity = ["id", "instance_id", "identity_key", "origin"];

Deno.test("merge_contacts decides on every column of a contact", async () => {
  await using database = await createTestDatabase();
  const columns = await database.admin<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'messaging' and table_name = 'contacts'`;
  const [merge] = await database.admin<{ source: string }[]>`
    select prosrc as source from pg_proc where proname = 'merge_contacts'`;
  const assigned = new Set(
    Array.from(merge?.source.matchAll(/^\s*(?:set )?(\w+) =/gm) ?? [], ([, column]) => column),
  );
  const open = columns.map(({ name }) => name)
    .filter((name) => !assigned.has(name) && !identity.includes(name));
  assertEquals(open, []);
});
