/** What people in Brazil type, and what it answers. */

import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";

/** A Saturday. */
const today = "2026-11-28";

type Typed = readonly (readonly [said: string, value: string | null])[];

const numbers: Typed = [
  ["2", "2"],
  ["2.", "2"],
  [" 2️⃣ ", "2"],
  ["🔟", "10"],
  ["２", "2"],
  ["*12*", "12"],
  ["1.234,50", "1234.50"],
  ["R$ 1.234,50", "1234.50"],
  ["r$1.234.567,8", "1234567.8"],
  ["1,5", "1.5"],
  ["0,50", "0.50"],
  ["00012", "12"],
  ["1.234", "1234"],
  ["12.50", "12.50"],
  ["1234.567", "1234.567"],
  ["-5", "-5"],
  ["−5,2", "-5.2"],
  ["+7", "7"],
  ["–5", "-5"],
  ["-R$ 5,00", "-5.00"],
  ["R$ -5,00", "-5.00"],
  ["50 reais", "50"],
  ["50!", "50"],
  ["1,234.50", null],
  ["1.23.4", null],
  ["1.234.5", null],
  ["dois", null],
  ["2 ou 3", null],
  ["uns 20", null],
  ["50%", null],
  [",50", null],
  [".50", null],
  ["9".repeat(41), null],
  ["", null],
  ["-", null],
];

const dates: Typed = [
  ["25/12/2026", "2026-12-25"],
  ["25/12/26", "2026-12-25"],
  ["05/03/85", "1985-03-05"],
  ["1/2/2027.", "2027-02-01"],
  ["25-12-2026", "2026-12-25"],
  ["25.12.2026", "2026-12-25"],
  ["25122026", "2026-12-25"],
  ["2026-12-25", "2026-12-25"],
  ["25/12", "2026-12-25"],
  ["dia 25/12", "2026-12-25"],
  ["28/11", "2026-11-28"],
  ["27/11", "2027-11-27"],
  ["1/1", "2027-01-01"],
  ["29/02", "2028-02-29"],
  ["25 de dezembro", "2026-12-25"],
  ["25 de Dezembro de 2027", "2027-12-25"],
  ["1º de março", "2027-03-01"],
  ["1° de março", "2027-03-01"],
  ["1º/3", "2027-03-01"],
  ["dia 1°/03/2027", "2027-03-01"],
  ["25–12–2026", "2026-12-25"],
  ["25‑12‑2026", "2026-12-25"],
  ["25 12 2026", "2026-12-25"],
  ["7 set", "2027-09-07"],
  ["2️⃣5️⃣/12", "2026-12-25"],
  ["amanhã", null],
  ["hoje", null],
  ["sexta", null],
  ["31/02/2027", null],
  ["29/02/2027", null],
  ["12/25/2026", null],
  ["31/11", null],
  ["25 12", null],
  ["25", null],
  ["25/12/202", null],
  ["25 de dezembrinho", null],
  ["25/12 às 10h", null],
];

const emails: Typed = [
  ["maria@gmail.com", "maria@gmail.com"],
  ["Maria.Silva+x@Gmail.com.", "maria.silva+x@gmail.com"],
  [" maria@empresa.com.br , ", "maria@empresa.com.br"],
  ["<maria@gmail.com>", "maria@gmail.com"],
  ["e-mail: maria@gmail.com", "maria@gmail.com"],
  ["meu email é maria@gmail.com!", "maria@gmail.com"],
  ["_maria_@gmail.com", "_maria_@gmail.com"],
  ["_maria@gmail.com_", "maria@gmail.com"],
  ["maria@gmail", null],
  ["maria@gmail,com", null],
  ["maria @gmail.com", null],
  ["maria silva@gmail.com", null],
  ["a..b@gmail.com", null],
  [".maria@gmail.com", null],
  ["maria@-gmail.com", null],
  ["gmail.com", null],
  ["não tenho", null],
];

const documents: Typed = [
  ["529.982.247-25", "52998224725"],
  ["52998224725", "52998224725"],
  ["529 982 247 25", "52998224725"],
  ["CPF: 529.982.247-25.", "52998224725"],
  ["cpf 52998224725", "52998224725"],
  ["meu cpf é 529.982.247-25", "52998224725"],
  ["O meu CPF é: 52998224725", "52998224725"],
  ["529.982.247–25", "52998224725"],
  ["529.982.247‑25", "52998224725"],
  ["11.222.333/0001-81", "11222333000181"],
  ["11222333000181", "11222333000181"],
  ["12.ABC.345/01DE-35", "12ABC34501DE35"],
  ["12abc34501de35", "12ABC34501DE35"],
  ["CNPJ 12.ABC.345/01DE-35", "12ABC34501DE35"],
  ["529.982.247-26", null],
  ["529.982.247-2", null],
  ["111.111.111-11", null],
  ["00.000.000/0000-00", null],
  ["11.222.333/0001-82", null],
  ["12.ABC.345/01DE-36", null],
  ["não tenho", null],
];

const tables = [
  ["number", numbers],
  ["date", dates],
  ["email", emails],
  ["document", documents],
] as const;

for (const [accept, typed] of tables) {
  Deno.test(`a question that accepts ${accept} reads what Brazilians type`, async () => {
    await using database = await createTestDatabase();
    const read: (readonly [string, string | null])[] = [];
    for (const [said] of typed) {
      const [row] = await database.sql<{ value: string | null }[]>`
        select messaging.read_answer(
          ${accept}, null, 'text', ${said}, null, null, ${today}::date
        )->>'value' as value`;
      read.push([said, row!.value]);
    }
    assertEquals(read, [...typed]);
  });
}

const choices = [
  { number: 1, id: "yes", title: "Sim" },
  { number: 2, id: "no", title: "Não" },
];

/** The message, and the id of the option that it chooses. */
const chosen: readonly (readonly [string, string, object | null, string | null])[] = [
  ["text", "sim!", null, "yes"],
  ["text", "Sim", null, "yes"],
  ["text", "nao...", null, "no"],
  ["text", "1️⃣", null, "yes"],
  ["text", "2)", null, "no"],
  ["text", "1 - Sim", null, "yes"],
  ["text", "“Sim”", null, "yes"],
  ["text", "(não)", null, "no"],
  ["text", '"1"', null, "yes"],
  ["text", "*sim*.", null, "yes"],
  ["text", "2!", null, "no"],
  ["text", "sim?", null, null],
  ["text", "1 - Não", null, null],
  ["text", "3", null, null],
  ["text", "sim, claro", null, null],
  ["choice", "Sim", { choice: { id: "yes", title: "Sim" } }, "yes"],
  ["choice", "Sim", { choice: { id: "another", title: "Sim" } }, "yes"],
  ["choice", "Ouro", { choice: { id: "ouro", title: "Ouro" } }, null],
  ["option_list", "Não", { choice: { id: "no", title: "Não" } }, "no"],
  ["image", "1", null, null],
];

Deno.test("a question with options is answered by this question's options alone, tapped or typed", async () => {
  await using database = await createTestDatabase();
  const read = [];
  for (const [type, said, content] of chosen) {
    const [row] = await database.sql<{ id: string | null }[]>`
      select messaging.read_answer(
        'choice', ${database.sql.json(choices)}, ${type}, ${said},
        ${content === null ? null : database.sql.json(content as never)}, null, ${today}::date
      )->'choice'->>'id' as id`;
    read.push([type, said, content, row!.id]);
  }
  assertEquals(read, chosen.map((row) => [...row]));
});

Deno.test("of options that went without numbers a title is never taken for a number", async () => {
  await using database = await createTestDatabase();
  const guests = ["2", "3", "4"];
  const plans = ["Ouro", "Prata", "Bronze"];
  const read = [];
  for (const [titles, said] of [[guests, "2"], [guests, "1"], [plans, "2"], [plans, "prata!"]]) {
    const offered = (titles as string[]).map((title, index) => ({
      ...{ number: index + 1, id: `id-${title}`, title, description: "x" },
    }));
    for (const showsNumbers of [false, true]) {
      const [row] = await database.sql<{ choice: object | null }[]>`
        select messaging.read_answer(
          'choice', ${database.sql.json(offered)}, 'text', ${said as string}, null, null,
          ${today}::date, ${showsNumbers}
        )->'choice' as choice`;
      read.push(row!.choice);
    }
  }
  const two = { id: "id-2", title: "2" };
  const silver = { id: "id-Prata", title: "Prata" };
  assertEquals(read, [two, null, null, two, silver, silver, silver, silver]);
});

Deno.test("a tapped option of the question answers for words as the same words do when they are typed", async () => {
  await using database = await createTestDatabase();
  const text = "25/12/2026";
  const offered = [{ number: 1, id: "b", title: text }];
  const [words, day] = [{ text }, { text, value: "2026-12-25" }];
  const read = [];
  for (const choices of [offered, null]) {
    for (const type of ["text", "choice", "option_list"]) {
      const content = type === "text" ? {} : { choice: { id: "b", title: text } };
      for (const accept of ["text", "date"]) {
        const [row] = await database.sql<{ answer: object | null }[]>`
          select messaging.read_answer(
            ${accept}, ${choices === null ? null : database.sql.json(choices)}, ${type}, ${text},
            ${database.sql.json(content)}, null, ${today}::date
          ) as answer`;
        read.push(row!.answer);
      }
    }
  }
  // What stands on another message's button says nothing to this question.
  assertEquals(read, [words, day, words, day, words, day, words, day, null, null, null, null]);
});

/** Which kinds of message fit what. */
const kinds: readonly (readonly [accept: string, fits: readonly string[]])[] = [
  ["text", ["text"]],
  ["media", ["image", "video", "audio", "voice", "document"]],
  ["location", ["location"]],
  ["contact", ["contacts"]],
  [
    "any",
    [
      "text",
      "image",
      "video",
      "audio",
      "voice",
      "document",
      "sticker",
      "location",
      "contacts",
      "choice",
    ],
  ],
];

Deno.test("a question takes the kinds of message that it accepts, and never a reaction or a call", async () => {
  await using database = await createTestDatabase();
  const all = [...kinds.at(-1)![1], "reaction", "call"];
  for (const [accept, fits] of kinds) {
    const fitting = [];
    for (const type of all) {
      const [row] = await database.sql<{ answer: unknown }[]>`
        select messaging.read_answer(
          ${accept}, null, ${type}, 'x', '{"location": {"latitude": 1}, "contacts": [{"name": "B"}]}', null,
          ${today}::date
        ) as answer`;
      if (row!.answer !== null) fitting.push(type);
    }
    assertEquals([accept, fitting], [accept, [...fits]]);
  }
});
