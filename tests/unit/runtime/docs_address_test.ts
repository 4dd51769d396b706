import {
  codeAnchor,
  errorDocsUrl,
  placeDocs,
  versionDocsUrl,
} from "../../../shared/runtime/docs_address.ts";
import { assertEquals } from "../../support/assert.ts";

/** The isolate is shared: others read the address as it was. */
function withEnvironment(environment: Parameters<typeof placeDocs>[0], check: () => void): void {
  try {
    placeDocs(environment);
    check();
  } finally {
    placeDocs({});
  }
}

Deno.test("docs leads to DOCS_URL, else to api-docs where the functions are reached from outside", () => {
  const local = "http://127.0.0.1:54321/functions/v1/api-docs";
  const cases: readonly [Parameters<typeof placeDocs>[0], string][] = [
    [{}, local],
    [{ DOCS_URL: "", FUNCTIONS_URL: "", SUPABASE_URL: "" }, local],
    [
      { SUPABASE_URL: "https://abc.supabase.co" },
      "https://abc.supabase.co/functions/v1/api-docs",
    ],
    [
      { SUPABASE_URL: "http://kong:8000", FUNCTIONS_URL: "https://api.example.com/functions/v1/" },
      "https://api.example.com/functions/v1/api-docs",
    ],
    [
      { FUNCTIONS_URL: "https://api.example.com/x", DOCS_URL: "https://docs.example.com/docs//" },
      "https://docs.example.com/docs",
    ],
  ];
  for (const [environment, folder] of cases) {
    withEnvironment(environment, () => {
      assertEquals(errorDocsUrl("contact_blocked"), `${folder}/errors.md#contact_blocked`);
      assertEquals(versionDocsUrl(), `${folder}/versions.md`);
    });
  }
});

Deno.test("blanks of a code become dashes in its anchor", () => {
  assertEquals(
    codeAnchor("templateId and phone are required"),
    "templateId-and-phone-are-required",
  );
  assertEquals(codeAnchor("Instance not found"), "Instance-not-found");
});
