import { assert, assertEquals } from "../../../tests/support/assert.ts";
import { generateClient } from "../../../supabase/tools/client/write_client.ts";
import { documentFile } from "../../../supabase/tools/write_openapi.ts";

Deno.test("the generated files are what the document says", async () => {
  for (const { name, url, text } of await generateClient(await Deno.readTextFile(documentFile))) {
    assert(text === await Deno.readTextFile(url), `${name}: run \`deno task openapi\``);
  }
});

Deno.test("what decides a form's other fields is a discriminator of the document, and no request field has a default", async () => {
  const { components: { schemas } } = JSON.parse(await Deno.readTextFile(documentFile));
  const found = Object.entries<{ discriminator?: { propertyName: string } }>(schemas)
    .flatMap(([name, { discriminator }]) =>
      discriminator === undefined ? [] : [`${name}: ${discriminator.propertyName}`]
    );
  assertEquals(found.sort(), [
    "CreateInstanceRequest: provider",
    "ProcessAiAgentResponse: mode",
    "SendMessageRequestFile: messageType",
    "SendMessageRequestMessage: messageType",
    "SendMessageResponse: mode",
  ]);
  for (const [name, schema] of Object.entries(schemas)) {
    if (name.includes("Request")) assert(!JSON.stringify(schema).includes('"default":'), name);
  }
});
