import fc from "fast-check";
import { splitAnswer, toSendableAnswer } from "../../../shared/agents/answer.ts";
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

Deno.test("an answer is split at blank lines, and the rest stays joined in the last message", () => {
  const answer = "Um.\nAinda um.\n\nDois.\n \n\t\nTrês.\r\n\r\nQuatro.";
  assertEquals(splitAnswer(answer, 1), [answer]);
  assertEquals(splitAnswer(answer, 2), ["Um.\nAinda um.", answer.slice(answer.indexOf("Dois."))]);
  assertEquals(splitAnswer(answer, 4), ["Um.\nAinda um.", "Dois.", "Três.", "Quatro."]);
  assertEquals(splitAnswer(answer, 10), splitAnswer(answer, 4));
  assertEquals(splitAnswer("\n\n Um. \n\n", 3), ["Um."]);
});

Deno.test("each message of an answer has at most 4,096 characters", () => {
  const long = "a".repeat(5_000);
  assertEquals(splitAnswer(`${long}\n\n${long}`, 2), ["a".repeat(4_096), "a".repeat(4_096)]);
});

Deno.test("for any model output its messages are words of it, in order, none of them empty", () => {
  const anyText = fc.array(fc.constantFrom("a", "b.", " ", "\n", "\n\n", "\t"), {
    minLength: 1,
    maxLength: 60,
  });
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 10 }), (pieces, maxMessages) => {
      const text = pieces.join("");
      fc.pre(text.trim() !== "");
      const parts = splitAnswer(text, maxMessages);
      assert(parts.length <= maxMessages);
      assert(parts.every((part) => part.trim() === part && part !== ""));
      assertEquals(parts.join("").replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""));
    }),
    { numRuns: 300 },
  );
});
