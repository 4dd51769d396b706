/** What the members of a group have done with a message: one receipt a member, of 32 at most. */

import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";

type Json = Readonly<Record<string, unknown>>;

Deno.test("a member has one receipt, found by any identity, with the first instants, and a message has 32", async () => {
  await using database = await createTestDatabase();
  let receipts: Json[] | null = null;
  const tell = async (member: Json, second: number): Promise<Json[]> => {
    const [row] = await database.admin`
      select messaging.add_group_receipt(
        ${receipts === null ? null : JSON.stringify(receipts)}::text::jsonb, ${
      JSON.stringify(member)
    }::text::jsonb,
        ${new Date(Date.UTC(2026, 10, 1, 0, 0, second))}
      ) as receipts`;
    receipts = row?.["receipts"] as Json[];
    return receipts;
  };
  const at = (second: number): string =>
    `2026-11-01T00:00:${String(second).padStart(2, "0")}.000+00:00`;
  const [first, lid, userId] = [{ phone: "5511900000001" }, { lid: "1@lid" }, { userId: "BR.1" }];
  await tell({ ...first, hasRead: false, name: "Ana" }, 5);
  assertEquals(await tell({ ...first, ...lid, hasRead: true }, 6), [
    { ...first, ...lid, deliveredAt: at(5), readAt: at(6) },
  ]);
  await tell({ ...lid, ...userId, hasRead: true }, 3);
  assertEquals(await tell({ ...userId, hasRead: false }, 4), [
    { ...first, ...lid, ...userId, deliveredAt: at(3), readAt: at(6) },
  ]);
  for (let place = 2; place <= 33; place++) await tell({ phone: `${place}`, hasRead: true }, 10);
  const phones = (receipts ?? []).map(({ phone }) => phone);
  assertEquals([phones.length, phones.at(-1)], [32, "32"]);
  await tell({ phone: "32", hasRead: true }, 8);
  assertEquals((receipts ?? []).at(-1), { phone: "32", deliveredAt: at(8), readAt: at(10) });
});
