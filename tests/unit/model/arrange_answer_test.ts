import * as z from "zod";
import { arrangeAnswer } from "../../../shared/model/arrange_answer.ts";
import { instantSchema, zonedInstantSchema } from "../../../shared/model/instant.ts";
import { assertEquals } from "../../support/assert.ts";

const record = z.object({
  messageId: z.string(),
  at: instantSchema.nullable(),
  scheduledFor: zonedInstantSchema.optional(),
});

const write = (schema: z.ZodType, answer: unknown): string =>
  JSON.stringify(arrangeAnswer(schema, answer));

Deno.test("an answer's members come in the order of its schema, at every depth", () => {
  const page = z.object({ items: z.array(record), next: z.object({ b: z.int(), a: z.int() }) });
  const answer = { next: { a: 1, b: 2 }, items: [{ at: null, messageId: "m" }] };
  assertEquals(write(page, answer), '{"items":[{"messageId":"m","at":null}],"next":{"b":2,"a":1}}');
});

Deno.test("instants come in UTC, and scheduledFor with its offset", () => {
  const instant = "2026-11-23T10:00:00.123-03:00";
  assertEquals(
    write(record, { scheduledFor: instant, at: instant, messageId: instant }),
    `{"messageId":"${instant}","at":"2026-11-23T13:00:00.123Z","scheduledFor":"${instant}"}`,
  );
  assertEquals(
    write(record, { messageId: "m", at: "2026-11-23T10:00:00Z" }),
    '{"messageId":"m","at":"2026-11-23T10:00:00.000Z"}',
  );
  const described = z.object({ at: instantSchema.meta({ description: "When." }).nullable() });
  assertEquals(write(described, { at: instant }), '{"at":"2026-11-23T13:00:00.123Z"}');
});

Deno.test("instants have three digits of a second, however many they were written with", () => {
  for (const seconds of ["00", "00.000", "00.0", "00.000000", "00.000999999"]) {
    const [at, scheduledFor] = [
      `2026-11-23T10:00:${seconds}Z`,
      `2026-11-23T10:00:${seconds}+05:30`,
    ];
    assertEquals(
      write(record, { messageId: "m", at, scheduledFor }),
      '{"messageId":"m","at":"2026-11-23T10:00:00.000Z","scheduledFor":"2026-11-23T10:00:00.000+05:30"}',
    );
  }
  assertEquals(
    write(record, { messageId: "m", at: "later", scheduledFor: "2026-11-23T10:00:00Z" }),
    '{"messageId":"m","at":"later","scheduledFor":"2026-11-23T10:00:00.000+00:00"}',
  );
});

Deno.test("an instant comes in UTC where its schema has a description, too", () => {
  const described = z.object({ at: instantSchema.meta({ description: "When." }) });
  assertEquals(
    write(described, { at: "2026-11-23T10:00:00.123+00:00" }),
    '{"at":"2026-11-23T10:00:00.123Z"}',
  );
});

Deno.test("a member that the schema lacks stays, and free objects stay as they are", () => {
  const free = z.object({ labels: z.record(z.string(), z.unknown()), id: z.string() });
  assertEquals(
    write(free, { added: 1, id: "i", labels: { z: 1, a: "2026-11-23T10:00:00-03:00" } }),
    '{"labels":{"z":1,"a":"2026-11-23T10:00:00-03:00"},"id":"i","added":1}',
  );
});

Deno.test("of a union the form counts whose members the answer has", () => {
  const union = z.discriminatedUnion("mode", [
    z.object({ mode: z.literal("a"), id: z.string(), at: z.string() }),
    z.object({ mode: z.literal("b"), at: z.string(), id: z.string() }),
  ]);
  assertEquals(write(union, { at: "x", id: "i", mode: "a" }), '{"mode":"a","id":"i","at":"x"}');
  assertEquals(write(union, { id: "i", at: "x", mode: "b" }), '{"mode":"b","at":"x","id":"i"}');
});
