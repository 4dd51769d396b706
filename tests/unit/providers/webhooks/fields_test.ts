import {
  readMessage,
  readName,
  readPersonName,
  readTime,
  readUrl,
  readUuid,
} from "../../../../shared/providers/webhooks/fields.ts";
import { cleanText, readId } from "../../../../shared/model/json_value.ts";
import { assertEquals } from "../../../support/assert.ts";

Deno.test("a truncated text never ends in half a character, and characters that Postgres refuses are replaced", () => {
  assertEquals(cleanText("ab🙂", 3), "ab");
  assertEquals(cleanText("ab🙂", 4), "ab🙂");
  assertEquals(cleanText("a\0b\uDC00c\uD800", 10), "a\uFFFDb\uFFFDc\uFFFD");
});

Deno.test("messages are kept as written, truncated to 65,536 units; blank ones are undefined", () => {
  assertEquals(readMessage(" a\n"), " a\n");
  assertEquals(readMessage("x".repeat(70_000))?.length, 65_536);
  assertEquals(readMessage(" \n"), undefined);
  assertEquals(readMessage(7), undefined);
});

Deno.test("names are truncated to 200 units, ids never", () => {
  assertEquals(readName(" Ana "), "Ana");
  assertEquals(readName("x".repeat(201))?.length, 200);
  assertEquals(readId("x".repeat(512))?.length, 512);
  assertEquals(readId("x".repeat(513)), undefined);
});

Deno.test("a phone number is not a name", () => {
  for (const text of ["5511987654321", "+55 (11) 98765-4321", " "]) {
    assertEquals(readPersonName(text), undefined);
  }
  assertEquals(readPersonName("Ana 2"), "Ana 2");
});

Deno.test("instants are read in their unit, as numbers or digits, and only plausible ones", () => {
  const instant = "2025-06-08T20:59:43.000Z";
  assertEquals(readTime(1749416383, "s"), instant);
  assertEquals(readTime("1749416383", "s"), instant);
  assertEquals(readTime(1749416383000, "ms"), instant);
  const tomorrow = Date.now() / 1000 + 26 * 60 * 60;
  const none = [0, -1, 1e300, NaN, tomorrow, 1749416383000, "", "1e9", "-1", null, true, {}, [1]];
  for (const value of none) assertEquals(readTime(value, "s"), undefined);
  assertEquals(readTime(1749416383, "ms"), undefined);
  assertEquals(typeof readTime(Date.now() / 1000 + 60, "s"), "string");
});

Deno.test("a media URL is http or https, without credentials, of bounded length", () => {
  assertEquals(readUrl("https://a.example/a b"), "https://a.example/a%20b");
  assertEquals(readUrl("http://127.0.0.1:9000/a"), "http://127.0.0.1:9000/a");
  const refused = [
    ...["", "a.jpg", "s3://a/b", "javascript:alert(1)", "data:text/plain,a", "https://"],
    ...["https://user@a.example/", "https://:pass@a.example/", null, 7],
    ...[`https://a.example/${"a".repeat(2_048)}`, `https://a.example/${"é".repeat(500)}`],
  ];
  for (const value of refused) assertEquals(readUrl(value), undefined);
});

Deno.test("only a UUID is one of our message ids", () => {
  const id = "5c0a2a52-0a1f-4d64-9c1e-2f7c0b1f6c11";
  assertEquals(readUuid(id.toUpperCase()), id);
  for (const value of ["order 7", `${id}0`, id.replaceAll("-", ""), 7]) {
    assertEquals(readUuid(value), undefined);
  }
});
