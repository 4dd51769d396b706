import fc from "fast-check";
import { toSendableAnswer } from "../../../shared/agents/answer.ts";
import { assert, assertEquals } from "../../support/assert.ts";

Deno.test("an answer that fits is sent unchanged, without characters that no text may hold", () => {
  assertEquals(toSendableAnswer("Olá! 👋\n\nPosso ajudar?"), "Olá! 👋\n\nPosso ajudar?");
  assertEquals(toSendableAnswer(" a\u0000b\ud800 "), "ab\ufffd");
  const longest = "👋".repeat(4_096);
  assertEquals(toSendableAnswer(longest), longest);
});

Deno.test("a longer answer ends with a whole paragraph, line, sentence or word", () => {
  const sentence = "Nossa loja abre às nove horas da manhã. ";
  const paragraph = sentence.repeat(60).trim();
  assertEquals(toSendableAnswer(`${paragraph}\n\n${paragraph}`), paragraph);
  assertEquals(toSendableAnswer(`${paragraph}\n${paragraph}`), paragraph);
  assert(toSendableAnswer(sentence.repeat(200)).endsWith("manhã."));
  const words = toSendableAnswer("abre às nove horas da manhã ".repeat(200));
  assert(/ (abre|às|nove|horas|da|manhã)$/.test(words), words.slice(-20));
  assertEquals(toSendableAnswer("a".repeat(5_000)), "a".repeat(4_096));
});

Deno.test("for any model output the sent text is its beginning and within the limit", () => {
  const anyText = fc.string({ unit: "grapheme", minLength: 0, maxLength: 9_000, size: "max" });
  fc.assert(
    fc.property(anyText, (text) => {
      const sent = toSendableAnswer(text);
      assert([...sent].length <= 4_096);
      assert(text.toWellFormed().replaceAll("\u0000", "").trim().startsWith(sent));
    }),
    { numRuns: 50 },
  );
});
