import { assertEquals } from "../support/assert.ts";
import { reportFile } from "../../supabase/tools/write_openapi.ts";

Deno.test("the OpenAPI task says whether a file was already right, was written or differs", () => {
  assertEquals(reportFile("a.json", true, false), "a.json is what the contracts say");
  assertEquals(reportFile("a.json", false, false), "a.json is now what the contracts say");
  assertEquals(reportFile("a.json", true, true), "a.json is what the contracts say");
  assertEquals(reportFile("a.json", false, true), "a.json is not what the contracts say");
});
