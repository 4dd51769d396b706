import { shareSchemaReading } from "../../../supabase/local/data_api_schema.ts";
import { assertEquals, assertRejects } from "../../support/assert.ts";

/** A reader that counts its readings; each ends when the test says so. */
function createReader(): {
  readonly readings: PromiseWithResolvers<string>[];
  introspect(options?: { useCache?: boolean }): Promise<string>;
} {
  const readings: PromiseWithResolvers<string>[] = [];
  return {
    readings,
    introspect: () => {
      const reading = Promise.withResolvers<string>();
      readings.push(reading);
      return reading.promise;
    },
  };
}

Deno.test("calls that need the schema at the same time share one reading", async () => {
  const reader = createReader();
  shareSchemaReading(reader);
  const calls = Array.from({ length: 60 }, () => reader.introspect({ useCache: true }));
  assertEquals(reader.readings.length, 1);
  reader.readings[0]?.resolve("schema");
  assertEquals(await Promise.all(calls), Array(60).fill("schema"));
});

Deno.test("a call after a failed reading of the schema reads it anew", async () => {
  const reader = createReader();
  shareSchemaReading(reader);
  const failing = reader.introspect({ useCache: true });
  reader.readings[0]?.reject(new Error("no connection"));
  await assertRejects(() => failing, Error, "no connection");
  const next = reader.introspect({ useCache: true });
  reader.readings[1]?.resolve("schema");
  assertEquals(await next, "schema");
});

Deno.test("a call that must not use what was read shares no reading", () => {
  const reader = createReader();
  shareSchemaReading(reader);
  void reader.introspect({ useCache: true });
  void reader.introspect();
  assertEquals(reader.readings.length, 2);
});
