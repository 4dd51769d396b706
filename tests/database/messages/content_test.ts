import type { Sql } from "postgres";
import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";

async function fits(sql: Sql, messageType: string, content: unknown): Promise<boolean> {
  const text = content === null ? null : JSON.stringify(content);
  const [row] = await sql<{ fits: boolean }[]>`
    select messaging.is_message_content(${messageType}, ${text}::text::jsonb) as fits`;
  return row?.fits ?? false;
}

const mediaUrl = "https://cdn.example.com/a.png";
const optionList = { title: "Horários", buttonLabel: "Ver", options: [] };

Deno.test("a message is stored only with a content that its type can be read with", async () => {
  await using database = await createTestDatabase();
  const file: readonly unknown[] = [null, { mediaUrl }, { mediaId: "1" }, {
    mediaFilename: "a.pdf",
  }];
  const cases: Readonly<
    Record<string, { fitting: readonly unknown[]; others: readonly unknown[] }>
  > = {
    text: {
      fitting: [null, { referral: { headline: "Oferta" } }],
      others: [{}, { mediaUrl }, { template: {} }],
    },
    other: { fitting: [null, { menu: { items: [] } }], others: [{ choice: { title: "Tarde" } }] },
    location: { fitting: [null, { location: {} }], others: [{ mediaUrl }, { optionList }] },
    image: { fitting: file, others: [{}, [], "a", { mediaUrl: 5 }, { optionList }] },
    sticker: { fitting: file, others: [{}, { template: {} }] },
    option_list: {
      fitting: [{ optionList }, { choice: { id: "2", title: "Tarde" } }],
      others: [null, {}, { choice: { id: "2" } }, { choice: { title: null } }, { mediaUrl }],
    },
    choice: {
      fitting: [{ choice: { id: "2", title: "Tarde" } }],
      others: [null, {}, { choice: { id: "2" } }, { optionList }],
    },
    template: { fitting: [{ template: { name: "aviso" } }], others: [null, {}, { template: 1 }] },
  };
  for (const [messageType, { fitting, others }] of Object.entries(cases)) {
    for (const content of fitting) {
      assertEquals(await fits(database.sql, messageType, content), true, messageType);
    }
    for (const content of others) {
      assertEquals(await fits(database.sql, messageType, content), false, messageType);
    }
  }
});
