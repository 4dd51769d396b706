import { daySchema } from "../../../shared/model/request_fields.ts";
import { assertEquals } from "../../support/assert.ts";

function read(value: unknown): string | undefined {
  const parsed = daySchema.safeParse(value);
  return parsed.success ? parsed.data : parsed.error.issues.map(({ message }) => message).join();
}

Deno.test("a day is YYYY-MM-DD of a date that exists and that Postgres stores", () => {
  for (const day of ["2026-12-25", "2024-02-29", "0001-01-01"]) assertEquals(read(day), day);
  for (const none of ["2026-02-29", "2026-13-01", "0000-01-01", "25/12/2026", "2026-12-5", 7]) {
    assertEquals(read(none), "must be a valid date, YYYY-MM-DD", String(none));
  }
});
