/** The form of every answer, seen from outside: members in the documented order, instants in UTC. */
import * as z from "zod";
import { presentEvent } from "../../../shared/events/event_body.ts";
import { eventDescriptions } from "../../../shared/events/event_data.ts";
import type { EventType } from "../../../shared/model/event_types.ts";
import { assertEquals, assertGreater } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createAgent, createOperator, type Tenant } from "../../support/fixtures/tenant.ts";
import {
  type ContractStack,
  listOperationRows,
  type OperationRow,
  startContractStack,
} from "./contract_stack.ts";
import { listInstantFaults } from "./instant_form.ts";
import { listOrderFaults } from "../../support/stack/member_order.ts";

const phone = "5511977776666";
const webhookSecret = "hook-secret-value";

type Json = Readonly<Record<string, unknown>>;
// deno-lint-ignore no-explicit-any -- whatever the service answers
type Body = any;

/** Calls operations by their public paths, and collects the faults of every answer's form. */
class Caller {
  readonly faults: string[] = [];
  refused = 0;
  checked = 0;

  constructor(
    private readonly contract: ContractStack,
    private readonly rows: readonly OperationRow[],
    private readonly tenant: Tenant,
  ) {}

  async call(method: string, path: string, body?: Json): Promise<Body> {
    const { token, instanceId } = this.tenant;
    const [slug = ""] = path.split(/[/?]/);
    const response = await this.contract.request(slug, `/${path}`, {
      method,
      headers: { "X-Client-Token": token, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify({ instanceId, ...body }) }),
    });
    const answer = await response.json();
    this.#check(`${method} ${path} ${response.status}`, response, answer);
    return answer;
  }

  #check(name: string, { status }: Response, answer: Json): void {
    this.checked++;
    if (status >= 400) this.refused++;
    this.faults.push(...listInstantFaults(answer).map((fault) => `${name}: ${fault}`));
    const schema = status < 300 ? this.#find(name)?.operation.success.schema : refusalSchema;
    if (schema === undefined) this.faults.push(`${name}: no schema`);
    else {
      const described = z.toJSONSchema(schema);
      this.faults.push(...listOrderFaults(described, answer).map((fault) => `${name}: ${fault}`));
    }
    for (const event of name.includes("/events?") ? answer["items"] as Body[] : []) {
      const data = z.toJSONSchema(eventDescriptions[event.type as EventType].data);
      const faults = listOrderFaults(data, event.data, event.type);
      this.faults.push(...faults.map((fault) => `${name}: ${fault}`));
    }
  }

  #find(name: string): OperationRow | undefined {
    const [method, path = ""] = name.split(" ");
    const called = `/${path.split("?")[0]}`;
    return this.rows.find(({ slug, operation }) => {
      const pattern = `/${slug}${operation.path === "/" ? "" : operation.path}`
        .replaceAll(/:\w+/g, "[^/]+");
      return operation.method === method && new RegExp(`^${pattern}$`).test(called);
    });
  }
}

const refusalSchema = z.object({
  success: z.literal(false),
  error: z.string(),
  message: z.string(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

Deno.test("every answer lists its members in the documented order, and its instants in UTC to the millisecond", async () => {
  await using contract = await startContractStack();
  const { stack } = contract;
  const tenant = await stack.createTenant();
  const caller = new Caller(contract, await listOperationRows(), tenant);
  const call = caller.call.bind(caller);
  const receive = async (message: Json): Promise<void> => {
    const path = `/provider-webhook/zapi/${tenant.instanceId}/${webhookSecret}`;
    const payload = { type: "ReceivedCallback", phone, fromMe: false, isGroup: false, ...message };
    const response = await contract.request("provider-webhook", path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(payload),
    });
    assertEquals((await response.json()).recorded, 1);
  };
  const created = await haveLife(contract, tenant, { call, receive });
  await readEverything(call, tenant, created);
  assertEquals(caller.faults, []);
  // Nothing was refused but what should be.
  assertEquals(caller.refused, 6);
  assertGreater(caller.checked, 50);
});

interface Calls {
  readonly call: Caller["call"];
  readonly receive: (message: Json) => Promise<void>;
}

interface Created {
  readonly contactId: string;
  readonly conversationId: string;
  readonly messageIds: readonly string[];
  readonly batchId: string;
  readonly endpointId: string;
}

/** A contact with all its fields, messages of all kinds and states, a batch, an endpoint. */
async function haveLife(
  { stack }: ContractStack,
  tenant: Tenant,
  { call, receive }: Calls,
): Promise<Created> {
  await createAgent(stack.admin, tenant.instanceId);
  const operatorId = await createOperator(stack.admin, tenant.workspaceId, {
    ...{ name: "Ana", email: "ana@example.com" },
  });
  const { endpointId } = await call("POST", "events-api/endpoints", {
    url: "https://hooks.example.com/",
    description: "CRM",
  });
  const person = { name: "José", email: "j@example.com", tags: ["VIP", "novo"], notes: "Ligar" };
  await call("POST", "contacts-api/create", { phone, ...person, customLabels: { b: 1, a: "2" } });
  const { contactId } = await call("POST", "contacts-api/update", { phone, isFavorite: true });
  await call("POST", "contacts-api/tags", { phone, addTags: ["a"], removeTags: ["novo"] });
  await call("POST", "contacts-api/consent", { phone, marketing: "granted", evidence: "ficha" });
  await call("POST", "conversations-api/assign", { phone, assignTo: operatorId, portfolio: true });
  await call("POST", "conversations-api/note", { phone, note: "ligou" });
  await call("POST", "conversations-api/status", { phone, status: "pending", internalNote: "x" });
  await call("POST", "conversations-api/agent-pause", { phone, paused: true });
  const text = { phone, messageType: "text", message: "Olá" };
  const expiresAt = new Date(Date.now() + 7_200_000).toISOString();
  const waiting = { delayMessage: 3_600, expiresAt, cancelKey: "k", metadata: { b: "1", a: "2" } };
  const sent = await call("POST", "send-message", { ...text, cardId: "c", assignTo: operatorId });
  const queued = await call("POST", "send-message", { ...text, queued: true, ...waiting });
  const canceled = await call("POST", "send-message", { ...text, ...waiting, cancelKey: "l" });
  await call("PATCH", `messages-api/messages/${queued.messageId}`, { expiresAt });
  await call("DELETE", `messages-api/messages/${canceled.messageId}`);
  await call("DELETE", "messages-api/messages?cancelKey=none");
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  const failed = await call("POST", "send-message", text);
  const momment = Date.now();
  await receive({ messageId: "I1", momment, text: { message: "oi" }, senderName: "José" });
  const listResponseMessage = { message: "Tarde", title: "Tarde", selectedRowId: "t" };
  const referenceMessageId = sent.providerMessageId;
  await receive({ messageId: "I2", momment, listResponseMessage, referenceMessageId });
  const document = { documentUrl: "https://files.example.com/a.pdf", fileName: "a.pdf" };
  await receive({
    messageId: "I3",
    momment,
    document: { ...document, mimeType: "application/pdf" },
  });
  await receive({ messageId: "I1", momment, text: { message: "oi!" }, isEdit: true });
  const { batchId } = await call("POST", "batches-api/batches", {
    name: "Novidades",
    message: { messageType: "text", message: "Oi {{nome}}" },
    validation: "permissive",
    recipients: [{ phone, variables: { nome: "Zé" }, cardId: "c" }, { phone }, { phone: "1" }],
  });
  await call("POST", `batches-api/batches/${batchId}/dry-run`, {});
  await call("POST", `batches-api/batches/${batchId}/start`, {});
  await letTimePass(stack.admin, 60);
  await stack.dispatch();
  const { items } = await call("GET", `messages-api/messages?contactId=${contactId}`);
  const messageIds = [...items.map((item: Body) => item.messageId), failed.messageId];
  return { contactId, conversationId: sent.conversationId, messageIds, batchId, endpointId };
}

/** Every record and every list, and refusals. */
async function readEverything(
  call: Caller["call"],
  { instanceId }: Tenant,
  created: Created,
): Promise<void> {
  const { contactId, conversationId, messageIds, batchId, endpointId } = created;
  const day = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const period = `start=${yesterday}&end=${day}&phone=${phone}&instanceId=${instanceId}`;
  for (const messageId of new Set(messageIds)) {
    await call("GET", `messages-api/messages/${messageId}`);
  }
  for (
    const path of [
      ...["messages-api/messages", "messages-api/queue", "messages-api/health"],
      ...["contacts-api/contacts", "contacts-api/contacts?updatedSince=2026-01-01T00:00:00Z"],
      ...[`contacts-api/contacts/${contactId}`, `contacts-api/contacts/${contactId}/export`],
      ...["conversations-api/conversations", `conversations-api/conversations/${conversationId}`],
      `conversations-api/conversations/${conversationId}/notes`,
      `conversations-api/conversations/${conversationId}/transfers`,
      `conversations-api/agent-pause?phone=${phone}`,
      ...["batches-api/batches", `batches-api/batches/${batchId}`],
      `batches-api/batches/${batchId}/recipients`,
      ...["events-api/endpoints", `events-api/endpoints/${endpointId}`],
      `events-api/endpoints/${endpointId}/deliveries`,
      "events-api/events?after=oldest&limit=1000",
      ...[`messages-context?${period}`, `messages-context?${period}&format=raw`],
      // Refusals.
      ...[
        "messages-api/messages/none",
        "messages-api/messages?status=none",
        "contacts-api/contacts?x=1",
      ],
    ]
  ) {
    await call("GET", path);
  }
  await call("POST", "contacts-api/merge", { contactId, intoContactId: crypto.randomUUID() });
  await call("DELETE", `contacts-api/contacts/${contactId}`);
  await call("GET", `contacts-api/contacts/${contactId}`);
}

Deno.test("an instant in another form is found, and so are members in another order", () => {
  const told = { at: "2026-11-23T03:00:00.000-03:00", note: "2026-11-23T03:00:00-03:00" };
  assertEquals(listInstantFaults({ told, scheduledFor: told.at }).length, 1);
  assertEquals(listInstantFaults({ at: "2026-11-23T06:00:00Z" }).length, 1);
  const event = {
    ...{ data: { to: "a" }, id: "evt_1", type: "no.such", timestamp: told.at },
    ...{ sequence: 1, instanceId: "i" },
  };
  const presented = presentEvent(event);
  assertEquals(Object.keys(presented), [
    ...["id", "type", "timestamp", "instanceId", "sequence", "data"],
  ]);
  assertEquals(listInstantFaults(presented), []);
});
