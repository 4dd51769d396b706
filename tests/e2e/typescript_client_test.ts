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

/** What the checker says of each file beside the generated types; nothing of those that compile. */
async function findFaults(
  texts: Readonly<Record<string, string>>,
  versions: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const document = JSON.parse(await Deno.readTextFile(documentFile));
  const folder = await Deno.makeTempDir({ prefix: "typescript-client-" });
  const imports = { "openapi-fetch": `npm:openapi-fetch@${versions.get("openapi-fetch")}` };
  const configuration = { imports, nodeModulesDir: "none" };
  try {
    await Deno.writeTextFile(`${folder}/api.ts`, astToString(await openapiTS(document)));
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(configuration));
    for (const [file, text] of Object.entries(texts)) {
      await Deno.writeTextFile(`${folder}/${file}`, text);
    }
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", ...Object.keys(texts)],
      cwd: folder,
      env: { NO_COLOR: "1" },
      stdout: "null",
      stderr: "piped",
    }).output();
    const output = new TextDecoder().decode(stderr);
    const faults = new Map(
      // The checker ends each fault with its place: `at file:///.../<file>:<line>:<column>`.
      Array.from(output.matchAll(/^TS\d+ [^]*?\/([^/\s]+\.ts):\d+:\d+$/gm), ([fault, file]) => [
        file ?? "",
        fault,
      ]),
    );
    assertEquals(success, faults.size === 0, output);
    return faults;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the client of docs/typescript-client.md compiles against the document, and narrows on mode and on error", async () => {
  const { sample, versions } = await readClientPage();
  assertMatch(sample, /switch \(data\.mode\)[\s\S]*switch \(error\.error\)/);
  const faults = await findFaults({
    "client.ts": sample,
    // Without these two the test would not see whether anything is checked.
    "wrong_field.ts": sample.replace("data.assignment.assignedTo", "data.messageId"),
    "wrong_code.ts": sample.replace('case "invalid_phone"', 'case "no_such_code"'),
  }, versions);
  assertEquals([...faults.keys()].sort(), ["wrong_code.ts", "wrong_field.ts"]);
  assertMatch(faults.get("wrong_field.ts") ?? "", /'messageId' does not exist/);
  assertMatch(faults.get("wrong_code.ts") ?? "", /"no_such_code"' is not comparable/);
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
