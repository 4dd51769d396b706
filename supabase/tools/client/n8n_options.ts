/** The lists of choices of the n8n nodes, as the OpenAPI document has them. */

interface Schema {
  readonly $ref?: string;
  readonly enum?: readonly (string | null)[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
}

/** What of the document the lists come from. */
export interface OptionsDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The module that exports the lists. */
export function writeN8nOptions(document: OptionsDocument): string {
  const messageTypes =
    document.components.schemas["CreateBatchRequest"]?.properties?.["message"]?.properties
      ?.["messageType"]?.enum?.filter((type) => type !== null) ?? [];
  const lists = [
    ["messageTypes", "What a message may be.", messageTypes],
    ["messageStatuses", "States of a message.", findChoices(document, "listMessages", "status")],
    ["batchStatuses", "States of a batch.", findChoices(document, "listBatches", "status")],
    [
      "recipientStatuses",
      "States of a recipient of a batch.",
      findChoices(document, "listBatchRecipients", "status"),
    ],
    // A test is sent to an endpoint whatever its types are.
    [
      "eventTypes",
      "What the trigger may start on.",
      Object.keys(document.webhooks).filter((type) => type !== "endpoint.test"),
    ],
  ] as const;
  return [
    "// Written by `deno task openapi` from the OpenAPI document. Do not edit.\n",
    `import type { INodePropertyOptions } from "n8n-workflow";\n`,
    ...lists.map(([name, comment, values]) => {
      if (values.length === 0) throw new Error(`the document has no ${name}`);
      return `/** ${comment} */\nexport const ${name}: INodePropertyOptions[] = [\n${
        writeChoices(values)
      }\n];\n`;
    }),
  ].join("\n");
}

function findChoices(document: OptionsDocument, id: string, name: string): readonly string[] {
  const operation = Object.values(document.paths).flatMap((path) => Object.values(path))
    .find(({ operationId }) => operationId === id);
  return operation?.parameters?.find((parameter) => parameter.name === name)?.schema.enum?.filter((
    value,
  ) => value !== null) ?? [];
}

/** In the order of their names, as n8n shows them. */
function writeChoices(values: readonly string[]): string {
  return values.map((value) => ({ name: writeTitle(value), value }))
    .sort((a, b) => a.name < b.name ? -1 : 1)
    .map(({ name, value }) =>
      `  { name: ${JSON.stringify(name)}, value: ${JSON.stringify(value)} },`
    )
    .join("\n");
}

/** `batch.status_changed` as "Batch Status Changed". */
function writeTitle(value: string): string {
  return value.split(/[._]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join(" ");
}
