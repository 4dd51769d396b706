import openapiTS, { astToString } from "openapi-typescript";
import { documentFile } from "../../supabase/tools/write_openapi.ts";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";

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

/**
 * What an integrator writes with types generated without flags. A line under `@ts-expect-error` must
 * not compile: the check fails where it does.
 */
const callers = `
import type { components } from "./api.ts";
type Schemas = components["schemas"];
const target = { instanceId: "demo", phone: "5511988887777" };

export const requests: Schemas["SendMessageRequest"][] = [
  { ...target, messageType: "text", message: "Oi" },
  { ...target, messageType: "image", mediaUrl: "https://example.com/a.png", message: "A foto" },
  { ...target, assignTo: "ana@example.com" },
  { ...target, messageType: "option_list", message: "Quando?", optionList: {
    title: "T", buttonLabel: "B", options: [{ title: "Hoje" }],
  } },
  // @ts-expect-error An image needs its mediaUrl or mediaId.
  { ...target, messageType: "image", message: "A foto" },
  // @ts-expect-error There is no such messageType.
  { ...target, messageType: "sticker", message: "x" },
];

// Fields with a default are optional.
export const opening: Schemas["ProcessAiAgentRequest"] = {
  ...target, messageText: "Oi", initiateConversation: true,
};
export const agent: Schemas["CreateAgentRequest"] = {
  instanceId: "demo", name: "Lia", instructions: "x", model: "m",
};

const common = {
  workspaceId: "d0000000-0000-4000-8000-000000000001", name: "Loja",
  connectedPhone: "5511999990001", timeZone: "America/Sao_Paulo",
};
const webhookSecret = "a-secret-for-the-webhook-address";
export const instances: Schemas["CreateInstanceRequest"][] = [
  { ...common, provider: "zapi", providerConfig: { gatewayInstanceId: "3D", token: "t", webhookSecret } },
  // @ts-expect-error An instance of Evolution has another configuration.
  { ...common, provider: "evolution", providerConfig: { gatewayInstanceId: "3D", token: "t", webhookSecret } },
];
export const change: Schemas["UpdateInstanceRequest"] = { name: "Loja 2" };

export function describe(answer: Schemas["SendMessageResponse"]): string {
  // @ts-expect-error An assign_only answer has no message.
  const early = answer.messageId;
  const ignored: string[] | undefined = answer.ignoredFields;
  switch (answer.mode) {
    case "assign_only":
      return answer.assignment.assignedTo;
    case "queued":
    case "scheduled":
    case "sent":
      return answer.messageId + String(early) + String(ignored);
  }
}
`;

/** What the checker says of each file beside the generated types; nothing of those that compile. */
async function findFaults(): Promise<ReadonlyMap<string, string>> {
  const { sample, versions } = await readClientPage();
  assertMatch(sample, /switch \(data\.mode\)[\s\S]*switch \(error\.error\)/);
  const texts: Readonly<Record<string, string>> = {
    "callers.ts": callers,
    "client.ts": sample,
    // Without these two the tests would not see whether anything is checked.
    "wrong_field.ts": sample.replace("data.assignment.assignedTo", "data.messageId"),
    "wrong_code.ts": sample.replace('case "invalid_phone"', 'case "no_such_code"'),
  };
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

// Generating and checking take seconds: both tests look at one answer.
let faults: Promise<ReadonlyMap<string, string>> | undefined;

Deno.test("the client of docs/typescript-client.md compiles against the document, and narrows on mode and on error", async () => {
  const found = await (faults ??= findFaults());
  assertEquals(found.get("client.ts"), undefined);
  assertMatch(found.get("wrong_field.ts") ?? "", /'messageId' does not exist/);
  assertMatch(found.get("wrong_code.ts") ?? "", /"no_such_code"' is not comparable/);
});

Deno.test("types generated from the document without flags fit what callers write, and refuse what the service refuses", async () => {
  const found = await (faults ??= findFaults());
  assertEquals(found.get("callers.ts"), undefined);
  assertEquals([...found.keys()].sort(), ["wrong_code.ts", "wrong_field.ts"]);
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
