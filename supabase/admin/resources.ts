/** The kinds of records of admin-api as the command line knows them: options, columns, examples. */

/** How an option's text becomes the field's value. `json` may be a file (`@path`) or `-` (stdin). */
export type FieldKind = "text" | "nullable text" | "boolean" | "limit" | "json";

export interface Field {
  readonly flag: string;
  readonly name: string;
  readonly kind: FieldKind;
  readonly description: string;
  /** Whether `create` needs it; else it is optional there too. */
  readonly isRequired?: boolean;
  /** Whether it can only be given at creation. */
  readonly isFixed?: boolean;
}

export interface Noun {
  /** The collection's path and the command's name. */
  readonly name: string;
  readonly description: string;
  readonly fields: readonly Field[];
  /** Options that narrow `list`, by the query's names. */
  readonly filters: readonly Pick<Field, "flag" | "name" | "description">[];
  readonly columns: readonly string[];
  readonly canUpdate: boolean;
  readonly example: string;
}

const workspace: Field = {
  flag: "--workspace <id>",
  name: "workspaceId",
  kind: "text",
  description: "workspace it belongs to",
  isRequired: true,
  isFixed: true,
};
const instance: Field = {
  flag: "--instance <id>",
  name: "instanceId",
  kind: "text",
  description: "instance it belongs to",
  isFixed: true,
};
const name: Field = {
  flag: "--name <name>",
  name: "name",
  kind: "text",
  description: "what people call it",
  isRequired: true,
};

export const resources: readonly Noun[] = [
  {
    name: "workspaces",
    description: "companies: what owns instances, operators, departments",
    fields: [name],
    filters: [],
    columns: ["workspaceId", "name", "createdAt"],
    canUpdate: false,
    example: 'workspaces create --name "My company"',
  },
  {
    name: "instances",
    description: "connected numbers",
    fields: [
      workspace,
      name,
      {
        flag: "--provider <kind>",
        name: "provider",
        kind: "text",
        description: "whatsapp_cloud, zapi or evolution",
        isRequired: true,
        isFixed: true,
      },
      {
        flag: "--provider-config <json>",
        name: "providerConfig",
        kind: "json",
        description: "credentials: JSON, @file, or - for standard input",
        isRequired: true,
      },
      {
        flag: "--connected-phone <digits>",
        name: "connectedPhone",
        kind: "text",
        description: "the number, digits with country code",
        isRequired: true,
      },
      {
        flag: "--time-zone <zone>",
        name: "timeZone",
        kind: "text",
        description: "IANA time zone, such as America/Sao_Paulo",
        isRequired: true,
      },
      {
        flag: "--business-id <id>",
        name: "businessInstanceId",
        kind: "nullable text",
        description: 'your own name for it, good as instanceId; "null" clears it',
      },
      {
        flag: "--send-window <json>",
        name: "sendWindow",
        kind: "json",
        description: '{"start":"08:00","end":"20:00","days":[1,2,3,4,5],"holidays":[]}',
      },
      {
        flag: "--on-unconfirmed <what>",
        name: "onUnconfirmed",
        kind: "text",
        description: "hold or retry",
      },
      {
        flag: "--requests-per-minute <n>",
        name: "requestsPerMinute",
        kind: "limit",
        description: 'limit of each token and function; "null" for none',
      },
    ],
    filters: [workspace],
    columns: ["instanceId", "name", "provider", "connectedPhone", "businessInstanceId"],
    canUpdate: true,
    example:
      "instances create --workspace <id> --name Sales --provider zapi --provider-config @zapi.json --connected-phone 5511977776666 --time-zone America/Sao_Paulo",
  },
  {
    name: "operators",
    description: "people whom conversations are assigned to",
    fields: [workspace, name, {
      flag: "--email <address>",
      name: "email",
      kind: "text",
      description: "where assignments are told",
      isRequired: true,
    }],
    filters: [workspace],
    columns: ["operatorId", "name", "email"],
    canUpdate: true,
    example: "operators create --workspace <id> --name Ana --email ana@example.com",
  },
  {
    name: "departments",
    description: "departments of a workspace",
    fields: [workspace, name],
    filters: [workspace],
    columns: ["departmentId", "name"],
    canUpdate: true,
    example: "departments create --workspace <id> --name Vendas",
  },
  {
    name: "agents",
    description: "AI agents of an instance",
    fields: [
      { ...instance, isRequired: true },
      name,
      {
        flag: "--instructions <text>",
        name: "instructions",
        kind: "text",
        description: "what it is told; {{nome}} and collected data are filled in",
        isRequired: true,
      },
      {
        flag: "--model <model>",
        name: "model",
        kind: "text",
        description: "as the model's endpoint names it",
        isRequired: true,
      },
      {
        flag: "--active <yes>",
        name: "isActive",
        kind: "boolean",
        description: "true or false",
      },
    ],
    filters: [instance],
    columns: ["agentId", "name", "model", "isActive", "instanceId"],
    canUpdate: true,
    example: 'agents create --instance <id> --name Lia --instructions "..." --model gpt-4.1-mini',
  },
  {
    name: "templates",
    description: "message templates",
    fields: [
      { ...workspace, isRequired: false },
      instance,
      name,
      {
        flag: "--language <code>",
        name: "language",
        kind: "text",
        description: "such as pt_BR",
        isRequired: true,
      },
      {
        flag: "--parameter-format <format>",
        name: "parameterFormat",
        kind: "text",
        description: "POSITIONAL or NAMED",
        isRequired: true,
      },
      {
        flag: "--components <json>",
        name: "components",
        kind: "json",
        description: "JSON in the official channel's shape, @file, or -",
        isRequired: true,
      },
      {
        flag: "--provider-status <status>",
        name: "providerStatus",
        kind: "nullable text",
        description: "such as APPROVED",
      },
      {
        flag: "--provider-template-id <id>",
        name: "providerTemplateId",
        kind: "nullable text",
        description: "the official channel's id of it",
      },
    ],
    filters: [workspace, instance],
    columns: ["templateId", "name", "language", "providerStatus", "instanceId"],
    canUpdate: true,
    example: "templates list --instance <id>",
  },
];
