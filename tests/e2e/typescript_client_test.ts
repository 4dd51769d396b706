import openapiTS, { astToString } from "openapi-typescript";
import { documentFile } from "../../supabase/tools/write_openapi.ts";
import { assertEquals, assertMatch } from "../support/assert.ts";

/** The client that docs/typescript-client.md shows, and how its two commands pin their packages. */
interface ClientPage {
  readonly sample: string;
  readonly versions: ReadonlyMap<string, string>;
}

async function readClientPage(): Promise<ClientPage> {
  const page = await Deno.readTextFile(new URL("../../docs/typescript-client.md", import.meta.url));
  const [, sample = ""] = /^```ts\n([\s\S]*?)^```/m.exec(page) ?? [];
  const pins = page.matchAll(/\b(openapi-[a-z]+)@([\d.]+)/g);
  return {
    sample,
    versions: new Map(Array.from(pins, ([, name = "", version = ""]) => [name, version])),
  };
}

/** What the checker says of a file beside the generated types; null when it compiles. */
async function findFault(
  text: string,
  versions: ReadonlyMap<string, string>,
): Promise<string | null> {
  const document = JSON.parse(await Deno.readTextFile(documentFile));
  const folder = await Deno.makeTempDir({ prefix: "typescript-client-" });
  const imports = { "openapi-fetch": `npm:openapi-fetch@${versions.get("openapi-fetch")}` };
  const configuration = { imports, nodeModulesDir: "none" };
  try {
    await Deno.writeTextFile(`${folder}/api.ts`, astToString(await openapiTS(document)));
    await Deno.writeTextFile(`${folder}/client.ts`, text);
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(configuration));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "client.ts"],
      cwd: folder,
      env: { NO_COLOR: "1" },
      stdout: "null",
      stderr: "piped",
    }).output();
    return success ? null : new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the client of docs/typescript-client.md compiles against the document, and narrows on mode and on error", async () => {
  const { sample, versions } = await readClientPage();
  assertMatch(sample, /switch \(data\.mode\)[\s\S]*switch \(error\.error\)/);
  assertEquals(await findFault(sample, versions), null);
});

Deno.test("the client's checker finds a field of another mode and an unknown error code", async () => {
  const { sample, versions } = await readClientPage();
  const wrongField = sample.replace("data.assignment.assignedTo", "data.messageId");
  assertMatch(await findFault(wrongField, versions) ?? "", /'messageId' does not exist/);
  const wrongCode = sample.replace('case "invalid_phone"', 'case "no_such_code"');
  assertMatch(await findFault(wrongCode, versions) ?? "", /"no_such_code"' is not comparable/);
});

Deno.test("docs/typescript-client.md pins both packages, the generator as the tests run it", async () => {
  const { versions } = await readClientPage();
  const { imports } = JSON.parse(
    await Deno.readTextFile(new URL("../../import_map.json", import.meta.url)),
  );
  const generator = `npm:openapi-typescript@${versions.get("openapi-typescript")}`;
  assertEquals(imports["openapi-typescript"], generator);
  assertEquals([...versions.keys()].sort(), ["openapi-fetch", "openapi-typescript"]);
});
