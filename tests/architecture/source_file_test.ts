import { assertEquals } from "../support/assert.ts";
import { maskLiterals } from "./mask_literals.ts";
import { isBarrel, parseSourceFile, resolveRelative } from "./source_file.ts";

function readSpecifiers(text: string): string[] {
  return parseSourceFile("shared/sample.ts", text).imports.map(({ specifier }) => specifier);
}

Deno.test("every form of import is read", () => {
  const text = `
    import * as z from "zod";
    import one from './one.ts';
    import type { Two } from "./two.ts";
    import three, { type Four as Five } from
      "./three.ts"
    import "./side_effect.ts";
    import{six}from"./six.ts";
    import {
      seven, // with a comment: from "./nowhere.ts"
    } from "./seven.ts";
    import data from "./data.json" with { type: "json" };
    export * from "./eight.ts";
    export * as nine from "./nine.ts";
    export type { Ten } from "./ten.ts";
    const eleven = await import("./eleven.ts");
  `;
  assertEquals(readSpecifiers(text), [
    ...["zod", "./one.ts", "./two.ts", "./three.ts", "./side_effect.ts", "./six.ts", "./seven.ts"],
    ...["./data.json", "./eight.ts", "./nine.ts", "./ten.ts", "./eleven.ts"],
  ]);
});

Deno.test("text that only looks like an import is not read", () => {
  const text = `
    // import { a } from "./a.ts";
    /* import { b } from "./b.ts"; */
    const c = 'import { c } from "./c.ts";';
    const d = \`import { d } from "./d.ts";\`;
    const e = /import { e } from "./e.ts"/;
    export const f = "./f.ts";
    export type G = "./g.ts" | "./h.ts";
    export default "./i.ts";
    const j = Array.from("./j.ts");
  `;
  assertEquals(readSpecifiers(text), []);
});

Deno.test("type-only imports and re-exports are told apart", () => {
  const { imports } = parseSourceFile(
    "shared/http/sample.ts",
    `import type { A } from "../a.ts"; import { type B } from "./b.ts"; export { C } from "c";`,
  );
  assertEquals(imports, [
    {
      specifier: "../a.ts",
      target: "shared/a.ts",
      isTypeOnly: true,
      isReexport: false,
      isDynamic: false,
    },
    {
      specifier: "./b.ts",
      target: "shared/http/b.ts",
      isTypeOnly: false,
      isReexport: false,
      isDynamic: false,
    },
    { specifier: "c", target: null, isTypeOnly: false, isReexport: true, isDynamic: false },
  ]);
});

Deno.test("comments, strings and patterns are not code, and code in a template is", () => {
  const hidden = [
    ...['"hidden()"', "'hidden()'", "`hidden()`", "// hidden()", "/* hidden() */", "/hidden()/u"],
    ...[
      '"\\" hidden()"',
      "'it\\'s hidden()'",
      "`\\` hidden()`",
      "/[/] hidden()/",
      "`${1} hidden()`",
    ],
    ...[
      "`${`${1} hidden()`} hidden()`",
      "`\\${hidden()}`",
      "`$ {hidden()}`",
      "`${{ a: 1 }} hidden()`",
    ],
  ];
  for (const text of hidden) {
    const { code } = maskLiterals(`const before = ${text}\n; shown();`);
    assertEquals(code.includes("hidden"), false, text);
    assertEquals(code.includes("shown"), true, text);
  }
  const shown = ["`${shown()}`", "`a ${`b ${shown()}`} c`", "a / shown() / b", "(a) / shown()"];
  for (const text of [...shown, '"//"; shown()', "/[\"'`/]/; shown()", "`//`; shown()"]) {
    assertEquals(maskLiterals(`const before = ${text};`).code.includes("shown"), true, text);
  }
});

Deno.test("relative references resolve from their file", () => {
  assertEquals(resolveRelative("functions/a/app.ts", "../../shared/phone.ts"), "shared/phone.ts");
  assertEquals(resolveRelative("deno.json", "./shared/phone.ts"), "shared/phone.ts");
  assertEquals(resolveRelative("deno.json", "../shared/phone.ts"), "../shared/phone.ts");
  assertEquals(resolveRelative("shared/a.ts", "../../../x.ts"), "../../x.ts");
  assertEquals(resolveRelative("shared/a.ts", "zod"), null);
});

Deno.test("a file that only re-exports its neighbours is a barrel", () => {
  const barrels = [
    `export * from "./a.ts";`,
    `/** All. */\nexport { a } from "./a.ts";\nexport type { B } from "./b.ts";`,
    `import { a } from "./a.ts";\nexport { a };`,
  ];
  for (const text of barrels) assertEquals(isBarrel(parseSourceFile("shared/x.ts", text)), true);
  const others = [
    `export * from "./a.ts";\nexport const b = 1;`,
    `export { a } from "package";`,
    `import "./a.ts";`,
    ``,
  ];
  for (const text of others) assertEquals(isBarrel(parseSourceFile("shared/x.ts", text)), false);
});
