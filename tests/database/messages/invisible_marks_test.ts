import { withoutInvisible } from "../../../shared/model/visible_text.ts";
import { assertEquals, assertGreater } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";

/** Code points that Postgres stores: all but the surrogates and NUL. */
const lastBmp = 0xffff;
const points = Array.from({ length: 0x10ffff }, (_, index) => index + 1)
  .filter((point) => point < 0xd800 || point > 0xdfff);

Deno.test("SQL and TypeScript take the same marks that nobody sees out of a text", async () => {
  await using database = await createTestDatabase();
  const [row] = await database.sql<{ marks: number[] }[]>`
    select array_agg(point order by point) as marks
    from unnest(${points}::integer[]) as point
    where messaging.without_invisible('a' || chr(point) || 'b') = 'ab'`;
  const inTypeScript = points.filter((point) =>
    withoutInvisible(`a${String.fromCodePoint(point)}b`) === "ab"
  );
  assertEquals(row?.marks, inTypeScript);
  assertGreater(inTypeScript.filter((point) => point > lastBmp).length, 4_000);
});

Deno.test("a keyword and an option are recognised with any such mark around and in them", async () => {
  await using database = await createTestDatabase();
  const marks = ["\u00ad", "\u061c", "\u2060", "\u2066", "\u3164", "\ufeff", "\ufe0f", "\u{e0001}"];
  for (const mark of marks) {
    const words = `${mark.repeat(60)}S${mark}TOP${mark}`;
    const [row] = await database.sql<{ decided: string; chosen: { id: string } | null }[]>`
      select
        messaging.read_keyword('{SAIR,STOP}', '{START}', ${words}) as decided,
        messaging.typed_choice(
          '[{"number": "1", "id": "one", "title": "Stop"}]'::jsonb, ${words}
        ) as chosen`;
    assertEquals([row?.decided, row?.chosen?.id], ["denied", "one"], JSON.stringify(mark));
  }
});
