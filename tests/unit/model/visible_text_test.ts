import {
  holdsControl,
  toVisibleJson,
  toVisibleLine,
  toVisibleText,
} from "../../../shared/model/visible_text.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("what a terminal obeys and what hides or turns text is written as its code", () => {
  assertEquals(
    toVisibleLine(
      "\u001b]52;c;eA==\u0007 \u009b2J \u202eoãj\u202c a\u200bb\ufeff \u2028 \ud800 \u007f",
    ),
    "\\u{1b}]52;c;eA==\\u{7} \\u{9b}2J \\u{202e}oãj\\u{202c} a\\u{200b}b\\u{feff} \\u{2028} \\u{d800} \\u{7f}",
  );
  assertEquals(toVisibleLine("a\nb\tc\r"), "a\\u{a}b\\u{9}c\\u{d}");
  assertEquals(toVisibleText("a\nb\tc\r"), "a\nb\\u{9}c\\u{d}");
});

Deno.test("letters of any script and emoji stay as they are", () => {
  for (const text of ["João", "العربية", "हिन्दी क्‍ष", "👩‍👩‍👧 ❤️ 🇧🇷", "日本"]) {
    assertEquals(toVisibleLine(text), text);
    assertEquals(holdsControl(text), false);
  }
});

Deno.test("JSON with such characters escaped has the same value", () => {
  const value = { "a\u202e": ["\u001b[2J\u009b\u200b\u{e0067}\n", { b: 1 }] };
  for (const indent of [undefined, 2]) {
    const json = toVisibleJson(value, indent);
    assertEquals(JSON.parse(json), value);
    assertEquals(toVisibleText(json), json);
  }
});

Deno.test("a control is a C0 or C1 character, a line break or a change of direction", () => {
  const controls = [
    "\0",
    "\n",
    "\u001b",
    "\u007f",
    "\u0085",
    "\u009b",
    "\u2028",
    "\u202e",
    "\u2066",
  ];
  assertEquals(controls.filter((one) => !holdsControl(`a${one}b`)), []);
});
