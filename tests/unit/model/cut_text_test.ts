import fc from "fast-check";
import { cutCharacters, cutText } from "../../../shared/model/cut_text.ts";
import { isBlank, withoutInvisible } from "../../../shared/model/visible_text.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { assertLinearTime } from "../../support/growth.ts";

const family = "👨‍👩‍👧‍👦";
const flag = "🇧🇷";

Deno.test("a text is cut before a character that does not fit whole", () => {
  assertEquals(cutText("abc", 3), "abc");
  assertEquals(cutText("abcd", 3), "abc");
  assertEquals(cutText("a😀b", 2), "a");
  assertEquals(cutText(`a${family}b`, 5), "a");
  assertEquals(cutText(`a${family}b`, 1 + family.length), `a${family}`);
  assertEquals(cutText(flag.repeat(40), 4 * 7 + 2), flag.repeat(7));
  assertEquals(cutText("ae\u0301b", 2), "a");
  assertEquals(cutText("👍🏽", 2), "");
  assertEquals(cutText("\r\nx", 1), "");
});

Deno.test("characters are counted as JSON Schema counts them, and none is cut in two", () => {
  assertEquals(cutCharacters("😀😀😀", 2), "😀😀");
  assertEquals(cutCharacters("😀😀", 2), "😀😀");
  assertEquals(cutCharacters(`ab${family}`, 4), "ab");
  assertEquals(cutCharacters("abc", 0), "");
});

Deno.test("of a letter under very many marks something is left", () => {
  const marked = `a${"\u0301".repeat(1_000)}`;
  assertEquals(cutText(marked, 300).length, 300);
});

Deno.test("for any text the cut one is its beginning, within the limit, and well-formed where the text is", () => {
  const anyText = fc.string({ unit: "grapheme", maxLength: 60 });
  fc.assert(fc.property(anyText, fc.nat(80), (text, max) => {
    const cut = cutText(text, max);
    assert(text.startsWith(cut) && cut.length <= max && cut.isWellFormed());
    assert(text.length > max || cut === text);
    assert([...cutCharacters(text, max)].length <= max);
  }));
});

Deno.test("cutting takes linear time, whatever the text is of", () => {
  for (const part of ["a", "😀", flag, "e\u0301", family, "\u200d"]) {
    const make = (units: number): string => part.repeat(units);
    const work = (text: string): string => cutText(text, text.length - 1);
    assertLinearTime({ make, work, units: 300, factor: 100, what: part });
  }
});

Deno.test("a text of which nobody sees anything is blank", () => {
  const blank = [
    ...["", " \n\t", "\u200b", "\u200d\u200c", "\ufeff", "\u2060", "\u00ad", "\u180e", "\u3164"],
    ...[
      "\u115f\u1160",
      "\ufe0f",
      "\u{e0100}",
      "\u{e0041}",
      "\u2800",
      "\u202e \u202c",
      "\u00a0",
      "\u034f",
    ],
  ];
  for (const text of blank) assert(isBlank(text), JSON.stringify(text));
  for (const text of ["a", ".", "\u200ba", "👍🏽", "ा", "0", "©\ufe0f"]) assert(!isBlank(text), text);
  assertEquals(withoutInvisible("a\u200bb\u2066c"), "abc");
});
