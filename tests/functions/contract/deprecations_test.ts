/** The list of what is to go, and what the document, the client and the page of versions make of it. */
import { writeVersions } from "../../../functions/api-docs/versions_text.ts";
import {
  type Deprecation,
  deprecations,
  nameDeprecation,
} from "../../../shared/model/deprecations.ts";
import {
  composeDocument,
  type OperationsBySlug,
} from "../../../supabase/tools/openapi/document.ts";
import { readOperations } from "../../../supabase/tools/openapi/read_operations.ts";
import { nameOperations, writeMethods } from "../../../supabase/tools/client/client_methods.ts";
import { listClientOperations } from "../../../supabase/tools/client/client_document.ts";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "../../support/assert.ts";

const root = new URL("../../../", import.meta.url);
const days = { since: "2027-01-31", until: "2028-01-31" };
const instead = "Use contacts-api.";
const whole: Deprecation = {
  ...{ method: "POST", function: "contacts-api", path: "/create", ...days, instead },
};
const field: Deprecation = {
  ...{ method: "POST", function: "send-message", path: "/", member: "assignTo", ...days, instead },
};
const parameter: Deprecation = {
  ...{ method: "GET", function: "contacts-api", path: "/contacts", member: "q", ...days, instead },
};

/** What of the entries the policy does not allow, or nobody can find. */
function findFaults(
  entries: readonly Deprecation[],
  operations: OperationsBySlug,
  changelog: string,
): string[] {
  return entries.flatMap((entry) => {
    const name = nameDeprecation(entry);
    const known = operations.get(entry.function)?.some(({ method, path }) =>
      method === entry.method && path === entry.path
    );
    const year = new Date(entry.since);
    year.setUTCFullYear(year.getUTCFullYear() + 1);
    return [
      ...(known === true ? [] : [`${name}: no such operation`]),
      ...(new Date(entry.until) >= year ? [] : [`${name}: goes within 12 months`]),
      ...(changelog.includes(`\`${name}\``) ? [] : [`${name}: not in the changelog`]),
    ];
  });
}

Deno.test("each entry is of an operation that exists, goes after 12 months at the soonest, and stands in the changelog", async () => {
  const changelog = await Deno.readTextFile(new URL("CHANGELOG.md", root));
  const operations = await readOperations();
  assertEquals(findFaults(deprecations, operations, changelog), []);
  const wrong = [
    whole,
    { ...whole, path: "/gone" },
    { ...field, until: "2028-01-30" },
  ];
  assertEquals(findFaults(wrong, operations, "`POST contacts-api/create` goes"), [
    "POST contacts-api/gone: no such operation",
    "POST contacts-api/gone: not in the changelog",
    "POST send-message: assignTo: goes within 12 months",
    "POST send-message: assignTo: not in the changelog",
  ]);
});

// deno-lint-ignore no-explicit-any -- any part of the document
type Json = any;

Deno.test("the document marks an operation, a field in each variant and a parameter, with what to do instead", async () => {
  const operations = await readOperations();
  const document: Json = composeDocument(operations, [whole, field, parameter]);
  const told = "**Deprecated** since 2027-01-31, may be gone from 2028-01-31. Use contacts-api. ";
  const { post: create } = document.paths["/functions/v1/contacts-api/create"];
  assertEquals([create.deprecated, create.description.startsWith(told)], [true, true]);
  assertEquals(Object.keys(create.responses["200"].headers).slice(-2), ["Deprecation", "Sunset"]);
  const { parameters } = document.paths["/functions/v1/contacts-api/contacts"].get;
  const marked = parameters.filter((one: Json) => one.deprecated === true);
  assertEquals(marked.map(({ name }: Json) => name), ["q"]);
  const fields = Object.entries<Json>(document.components.schemas)
    .filter(([, { properties }]) => properties?.assignTo?.deprecated === true)
    .map(([name]) => name);
  assert(fields.length > 1, "one for each kind of message");
  assert(fields.every((name) => name.startsWith("SendMessageRequest")), fields.join());
  const plain = JSON.stringify(composeDocument(operations));
  assertEquals(plain.includes('"deprecated":true'), deprecations.length > 0);
  assertThrows(
    () => composeDocument(operations, [{ ...field, member: "colour" }]),
    Error,
    "nothing is called colour",
  );
});

Deno.test("the client and the page of versions name what is to go", async () => {
  const document: Json = composeDocument(await readOperations(), [whole]);
  const named = listClientOperations(document);
  assertEquals(
    nameOperations(named).filter(({ deprecated }) => deprecated).map(({ name }) => name),
    [
      "create",
    ],
  );
  assertStringIncludes(
    writeMethods(named, ["not_found"]),
    "@deprecated See its description. */\n  create(",
  );
  assertStringIncludes(
    writeVersions([whole]),
    "- `POST contacts-api/create`, since 2027-01-31, may be gone from 2028-01-31. Use contacts-api.",
  );
  assertStringIncludes(writeVersions([]), "Nothing is to go at present.");
});
