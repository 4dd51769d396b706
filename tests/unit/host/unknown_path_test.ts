import { assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import { describeUnknownPath } from "../../../supabase/host/unknown_path.ts";

const slugs = ["admin-api", "contacts-api", "send-message"];

Deno.test("a path of a function without its prefix, or with half of it, is told with the whole one", () => {
  const paths = ["/contacts-api/contacts", "/v1/contacts-api", "/functions/contacts-api/create"];
  for (const path of [...paths, "/functions/v1/v1/contacts-api"]) {
    assertMatch(
      describeUnknownPath(path, slugs),
      /contacts-api is at \/functions\/v1\/contacts-api/,
    );
  }
});

Deno.test("a resource without its function is told with the function that has it", () => {
  const message = describeUnknownPath("/functions/v1/contacts", slugs);
  assertMatch(message, /contacts belong to contacts-api, at \/functions\/v1\/contacts-api\b/);
});

Deno.test("any other path is told where the functions are, and is not repeated", () => {
  const message = describeUnknownPath("/functions/v1/a-secret", slugs);
  assertMatch(message, /below \/functions\/v1\//);
  assertFalse(message.includes("a-secret"));
  assertEquals(describeUnknownPath("/a-secret", []), message);
});
