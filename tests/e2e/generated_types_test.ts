import openapiTS, { astToString } from "openapi-typescript";
import { documentFile } from "../../supabase/tools/write_openapi.ts";
import { assert, assertEquals } from "../support/assert.ts";

/**
 * What an integrator writes with types generated without flags. A line under `@ts-expect-error` must
 * not compile: the check fails where it does.
 */
const sample = `
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

Deno.test("types generated from the document without flags fit what callers write, and refuse what the service refuses", async () => {
  const document = JSON.parse(await Deno.readTextFile(documentFile));
  const folder = await Deno.makeTempDir({ prefix: "generated-types-" });
  try {
    await Deno.writeTextFile(`${folder}/api.ts`, astToString(await openapiTS(document)));
    await Deno.writeTextFile(`${folder}/sample.ts`, sample);
    await Deno.writeTextFile(`${folder}/deno.json`, "{}");
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "sample.ts"],
      cwd: folder,
      stdout: "null",
      stderr: "piped",
    }).output();
    assert(success, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
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
