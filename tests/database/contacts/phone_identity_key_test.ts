import fc from "fast-check";
import { identityKeyOf } from "../../../shared/model/phone.ts";
import { assertEquals, assertGreater } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const seed = 20261120;

const digits = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength, maxLength }).map((list) => list.join(""));

/** Numbers of countries with a rule, also one digit shorter or longer, and random others. */
const anyPhone = fc.oneof(
  digits(8, 15),
  fc.tuple(fc.constantFrom("55", "52", "521", "54", "549"), digits(7, 12))
    .map(([prefix, rest]) => prefix + rest),
  fc.tuple(digits(2, 2), digits(8, 9)).map(([area, subscriber]) => `55${area}${subscriber}`),
);

Deno.test("SQL and TypeScript compute the same identity key for every phone", async () => {
  await using database = await createTestDatabase();
  const phones = fc.sample(anyPhone, { seed, numRuns: 6000 });
  const rows = await database.sql<{ phone: string; key: string }[]>`
    select phone, messaging.phone_identity_key(phone) as key
    from unnest(${phones}::text[]) with ordinality as given (phone, position)
    order by position`;
  assertEquals(
    rows.map(({ phone, key }) => ({ phone, key })),
    phones.map((phone) => ({ phone, key: identityKeyOf(phone) })),
  );
  for (const prefix of ["55", "52", "54"]) {
    const rewritten = rows.filter(({ phone, key }) => phone.startsWith(prefix) && phone !== key);
    assertGreater(rewritten.length, 50, `too few numbers of ${prefix} that the rule rewrites`);
  }
});
