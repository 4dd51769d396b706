import * as z from "zod";
import { registeredDocs } from "../../../shared/providers/registered_docs.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { createInstanceSchema, updateInstanceSchema } from "../instance_contract.ts";
import { demoInstanceId, demoWorkspaceId } from "../../../shared/openapi/demo_fixtures.ts";
import { changesOnly, exampleInstant, type ResourceDocs } from "./resource_docs.ts";
import { instances } from "./instances.ts";

/** The variants of `providerConfig`, by `provider`. */
const [firstForm, ...otherForms] = registry.providers.map(({ kind, config }) =>
  createInstanceSchema.extend({ provider: z.literal(kind), providerConfig: config.schema })
);
if (firstForm === undefined) throw new Error("no provider is registered");
const createInstanceForms = z.discriminatedUnion("provider", [firstForm, ...otherForms]);

/** A change does not name its provider, so the document allows every provider's variant. */
const updateInstanceForms = z.union(
  registry.providers.map(({ kind, config }) =>
    updateInstanceSchema.extend({ providerConfig: config.schema.optional() }).meta({ title: kind })
  ),
);

/** The fields of every provider's `providerConfig`, one line each. */
const configFields = Object.entries(registeredDocs)
  .map(([kind, docs]) => `- \`${kind}\`: ${docs.configFields}\n`).join("");

/** The fields with a provider's id of the instance. */
const idFields = new Intl.ListFormat("en", { type: "disjunction" })
  .format(registry.providers.map(({ config }) => `\`${config.idField}\``))
  .replace(", or ", " or ");

/** How long new credentials of webhooks must be, by their fields. */
const leastLengths = [
  ...Map.groupBy(
    new Map(registry.providers.flatMap(({ config }) => Object.entries(config.leastLengths))),
    ([, length]) => length,
  ),
].map(([length, fields]) => {
  const names = new Intl.ListFormat("en").format(fields.map(([field]) => `\`${field}\``));
  return `New values of ${names} have at least ${length} characters.`;
}).join(" ");

export const instanceDocs: ResourceDocs = {
  resource: instances,
  name: "Instance",
  singular: "an instance",
  plural: "instances",
  example: {
    instanceId: demoInstanceId,
    workspaceId: demoWorkspaceId,
    name: "Demo",
    provider: "zapi",
    gatewayInstanceId: "3DF1A2B4C5",
    businessInstanceId: "demo",
    embedKey: "emb_Zr3vQ1xJ8kTn5yLw2aBcDeFgHiJkLmNo",
    connectedPhone: "5511999990000",
    timeZone: "America/Sao_Paulo",
    sendWindow: { start: "08:00", end: "20:00", days: [1, 2, 3, 4, 5], holidays: ["2026-12-25"] },
    optOut: {
      keywords: ["STOP", "SAIR", "PARAR", "DESCADASTRAR"],
      resumeKeywords: ["START", "VOLTAR"],
      confirmation:
        "Pronto, você não receberá mais mensagens promocionais. Para voltar a receber, responda VOLTAR.",
    },
    protection: null,
    pace: null,
    budget: null,
    idle: [],
    turns: null,
    retention: { messagesDays: null, mediaDays: null, providerEventsDays: 30 },
    transcribeVoice: "agent",
    onUnconfirmed: "hold",
    interactiveRendering: "auto",
    readReceipts: "off",
    freeServiceMessagesPerMonth: 1_000,
    directSend: false,
    configureWebhooks: true,
    requestsPerMinute: 18_000,
    allowance: { messagesPerSecond: null, source: null, newChats: null, timeLock: null },
    historyImport: null,
    webhookPath: `provider-webhook/zapi/${demoInstanceId}`,
    createdAt: exampleInstant,
  },
  listErrors: ["workspace_not_found"],
  create: {
    description:
      "An instance is the connection to one channel. `providerConfig` contains the configuration of its provider. It is encrypted at rest and never returned:\n\n" +
      `${configFields}\n` +
      `${leastLengths}\n\n` +
      `\`businessInstanceId\` is unique among all instances, ${idFields} among the instances of one provider. Several numbers of one Meta app can share all other values.`,
    documentedBody: createInstanceForms,
    errors: ["workspace_not_found", "already_exists"],
    request: {
      workspaceId: demoWorkspaceId,
      name: "Loja",
      provider: "zapi",
      providerConfig: {
        gatewayInstanceId: "3DF1A2B4C5",
        token: "the-instance-token",
        webhookSecret: "a-secret-for-the-webhook-address",
      },
      connectedPhone: "5511999990001",
      timeZone: "America/Sao_Paulo",
      sendWindow: { start: "08:00", end: "18:00", holidays: ["2026-12-25"] },
    },
    changed: {
      name: "Loja",
      businessInstanceId: null,
      connectedPhone: "5511999990001",
      sendWindow: {
        start: "08:00",
        end: "18:00",
        days: [1, 2, 3, 4, 5],
        holidays: ["2026-12-25"],
      },
    },
  },
  update: {
    description:
      `${changesOnly} The provider cannot change; \`providerConfig\` is replaced as a whole.`,
    documentedBody: updateInstanceForms,
    errors: ["already_exists"],
    request: { timeZone: "America/Manaus", sendWindow: { end: "18:00" } },
    changed: {
      timeZone: "America/Manaus",
      sendWindow: {
        start: "08:00",
        end: "18:00",
        days: [1, 2, 3, 4, 5],
        holidays: ["2026-12-25"],
      },
    },
  },
  commandLine: {
    description: "connected numbers",
    columns: ["instanceId", "name", "provider", "connectedPhone", "businessInstanceId"],
    example:
      "instances create --workspace <id> --name Sales --provider zapi --provider-config @zapi.json --connected-phone 5511977776666 --time-zone America/Sao_Paulo",
    workedExample: `Weekdays of --send-window are 1 (Monday) to 7 (Sunday):
  --send-window '{"start":"08:00","end":"18:00","days":[1,2,3,4,5]}'

The official channel against the simulator of the local stack (docs/official-channel.md):
  echo '{"baseUrl":"http://127.0.0.1:54321/simulator/graph","phoneNumberId":"106540352242922","wabaId":"102290129340398","accessToken":"an-access-token","appSecret":"an-app-secret","verifyToken":"a-verify-token"}' > official.json
  deno task admin instances create --workspace <workspaceId> --name Official --provider whatsapp_cloud --provider-config @official.json --connected-phone 5511955554444 --time-zone America/Sao_Paulo
  deno task admin templates sync <instanceId>
  deno task admin tokens create <instanceId> --label "order system"`,
  },
};
