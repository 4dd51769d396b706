/** What callers write in TypeScript, for the compiler to judge. */

import { readBlocks } from "./packed_client.ts";

/** A line under `@ts-expect-error` must not compile: the check fails where it does. */
const callers = `
import { type Answer, type Body, Client, type WebhookEvent } from "messaging-integration-client";
const target = { instanceId: "demo", phone: "5511988887777" };

export const requests: Body<"sendMessage">[] = [
  { ...target, messageType: "text", message: "Oi" },
  { ...target, messageType: "image", mediaUrl: "https://example.com/a.png", message: "A foto" },
  { ...target, assignTo: "ana@example.com" },
  // @ts-expect-error An image needs its mediaUrl or mediaId.
  { ...target, messageType: "image", message: "A foto" },
  // @ts-expect-error There is no such messageType.
  { ...target, messageType: "hologram", message: "x" },
];

const client = new Client({ baseUrl: "https://example.com", token: "mia_x" });
export const others = [
  new Client({ baseUrl: "https://example.com", secretKey: "sk_x", timeoutMs: 1000 }),
  new Client({ baseUrl: "https://example.com", fetch: globalThis.fetch }),
  // @ts-expect-error Nothing opens the service.
  new Client({ baseUrl: "https://example.com" }),
];
export async function read(): Promise<string[]> {
  const names: string[] = [];
  for await (const contact of client.contacts.list({ tag: "vip" })) names.push(contact.contactId);
  const page = await client.messages.list({ direction: "inbound" });
  for (const { messageId } of page.items) names.push(messageId);
  // @ts-expect-error There is no such filter.
  await client.contacts.list({ colour: "red" });
  // @ts-expect-error A batch is named by its id.
  await client.batches.start();
  return names;
}

export function tell(event: WebhookEvent): string | null | undefined {
  // @ts-expect-error Only a contact that was merged has it.
  const early = event.data.mergedInto;
  return event.type === "contact.merged" ? event.data.mergedInto : String(early);
}

export function describe(answer: Answer<"sendMessage">): string {
  // @ts-expect-error An assign_only answer has no message.
  const early = answer.messageId;
  return answer.mode === "assign_only" ? answer.assignment.assignedTo : answer.messageId + String(early);
}
`;

/** TypeScript files by name; those that begin with `wrong` must not compile. */
export async function writeCallers(): Promise<Readonly<Record<string, string>>> {
  const blocks = await readBlocks("ts");
  const [asker = "", receiver = "", sender = ""] = blocks;
  return {
    "callers.ts": callers,
    "asker.ts": asker,
    "receiver.ts": receiver,
    "sender.ts": sender,
    "examples.ts": await writeExamples(),
    // Without these the test would not see whether anything is checked.
    "wrong_field.ts": sender.replace("answer.assignment.assignedTo", "answer.messageId"),
    "wrong_example.ts": (await writeExamples()).replace(
      '"messageType":"text"',
      '"messageType":"txt"',
    ),
  };
}

// deno-lint-ignore no-explicit-any -- the document's form is OpenAPI's
type Part = any;

/** The examples of the document as values of the client's types. */
async function writeExamples(): Promise<string> {
  const document = JSON.parse(
    await Deno.readTextFile(new URL("../../../functions/api-docs/openapi.json", import.meta.url)),
  );
  const offered = await Deno.readTextFile(new URL("../src/api.ts", import.meta.url));
  const resolve = (part: Part): Part =>
    part?.$ref === undefined ? part : part.$ref.slice(2).split("/").reduce(
      (found: Part, name: string) => found[name.replaceAll("~1", "/")],
      document,
    );
  const valuesOf = (holder: Part): Part[] =>
    Object.values<Part>(resolve(holder)?.content?.["application/json"]?.examples ?? {}).map((one) =>
      resolve(one).value
    );
  const lines = Object.values<Part>(document.paths).flatMap((item) =>
    Object.values<Part>(item).flatMap((operation) => {
      const { operationId: id, requestBody, responses } = operation;
      if (id === undefined || !offered.includes(`operations["${id}"]`)) return [];
      const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
      return [
        ...valuesOf(requestBody).map((value) => `Body<"${id}"> = ${JSON.stringify(value)};`),
        ...valuesOf(success).map((value) => `Answer<"${id}"> = ${JSON.stringify(value)};`),
      ];
    })
  );
  const head = 'import type { Answer, Body } from "messaging-integration-client";\n';
  return head + lines.map((line, index) => `export const example${index}: ${line}\n`).join("");
}
