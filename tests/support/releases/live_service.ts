/**
 * A service with a company's data, filled and read through the API alone, so that any release can be
 * filled and any other one read.
 */

import { assert, assertEquals } from "../assert.ts";
import type { ServiceAnswer, ServiceCalls } from "../stack/service_process.ts";

/** What an API caller knows of an instance. */
export interface LiveInstance {
  readonly instanceId: string;
  readonly token: string;
  /** The account at the provider: part of each call's path. */
  readonly gatewayInstanceId: string;
}

/** A call that was answered and may be repeated with its key. */
export interface AnsweredCall {
  readonly instance: LiveInstance;
  readonly path: string;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly answer: ServiceAnswer["body"];
}

/** What was filled in. */
export interface LiveData {
  readonly workspaceId: string;
  readonly instances: readonly LiveInstance[];
  readonly templateId: string;
  readonly calls: readonly AnsweredCall[];
  readonly intervalSeconds: number;
}

/** How much to fill in. */
export interface LiveOptions {
  readonly instances: number;
  /** Paced messages, with the texts "0", "1", and so on. */
  readonly messages: number;
  readonly intervalSeconds: number;
  /** Base URL of the provider double. It leaves the outcome of {@link doubtfulText} unknown. */
  readonly baseUrl: string;
}

/** Text of a message per instance whose outcome stays unknown. */
export const doubtfulText = "is this one sent?";
/** What the contact writes, once to each instance. */
export const inboundText = "Meu pedido já saiu?";
const operatorEmail = "ana@example.com";
/** The contact of every instance. */
export const customer = "5511988887777";
const webhookSecret = "webhook-secret-of-the-upgrade-test";

/** Fills a service. Nothing is dispatched unless a dispatcher runs. */
export async function fillService(
  service: ServiceCalls,
  options: LiveOptions,
): Promise<LiveData> {
  const { workspaceId } = await service.administer("workspaces", { name: "Empresa" });
  await service.administer("operators", { workspaceId, name: "Ana", email: operatorEmail });
  const instances: LiveInstance[] = [];
  for (let number = 0; number < options.instances; number++) {
    instances.push(await createInstance(service, workspaceId, number, options.baseUrl));
  }
  const [first] = instances;
  assert(first !== undefined);
  const { templateId } = await service.administer("templates", {
    instanceId: first.instanceId,
    name: "pedido_enviado",
    language: "pt_BR",
    parameterFormat: "NAMED",
    components: [{ type: "BODY", text: "Oi {{nome}}, o pedido saiu." }],
  });
  const calls: AnsweredCall[] = [];
  for (const instance of instances) calls.push(...await holdConversation(service, instance));
  calls.push(
    await callOnce(service, first, "send-template-message", "template", {
      // Another contact: it would pause the agent of the one who has asked.
      ...{ templateId, phone: "5511977776666", variables: { nome: "João" } },
    }),
  );
  calls.push(...await fillQueue(service, instances, options));
  return { workspaceId, instances, templateId, calls, intervalSeconds: options.intervalSeconds };
}

async function createInstance(
  service: ServiceCalls,
  workspaceId: string,
  number: number,
  baseUrl: string,
): Promise<LiveInstance> {
  const gatewayInstanceId = `UPGRADE-${number}`;
  const { instanceId } = await service.administer("instances", {
    workspaceId,
    name: "Loja",
    provider: "zapi",
    providerConfig: { baseUrl, gatewayInstanceId, token: "instance-token", webhookSecret },
    connectedPhone: "551140001234",
    timeZone: "America/Sao_Paulo",
    sendWindow: { start: "00:00", end: "24:00", days: [1, 2, 3, 4, 5, 6, 7] },
  });
  await service.administer("agents", {
    instanceId,
    name: "Lia",
    instructions: "Responda.",
    model: "test",
    isActive: true,
  });
  const { token } = await service.administer(`instances/${instanceId}/tokens`, { label: "CRM" });
  return { instanceId, token, gatewayInstanceId };
}

/** A contact with tags, messages of each outcome, an assignment with its e-mail, and a question. */
async function holdConversation(
  service: ServiceCalls,
  instance: LiveInstance,
): Promise<AnsweredCall[]> {
  const phone = customer;
  const text = { phone, messageType: "text" };
  const call = (
    path: string,
    key: string,
    body: Readonly<Record<string, unknown>>,
    status?: number,
  ): Promise<AnsweredCall> => callOnce(service, instance, path, key, body, status);
  const calls = [
    await call("contacts-api/create", "contact", { phone, name: "João", tags: ["lead"] }),
    await call("send-message", "sent", { ...text, message: "Olá" }),
    await call("send-message", "doubtful", { ...text, message: doubtfulText }, 504),
    await call("conversations-api/assign", "assignment", { phone, assignTo: operatorEmail }),
    await call("conversations-api/note", "note", { phone, note: "Ligar amanhã." }),
    await call("conversations-api/agent-pause", "pause", { phone, paused: false }),
  ];
  await receiveQuestion(service, instance);
  return calls;
}

async function receiveQuestion(service: ServiceCalls, instance: LiveInstance): Promise<void> {
  const { status, body } = await service.call(
    `provider-webhook/zapi/${instance.instanceId}/${webhookSecret}`,
    {
      body: {
        type: "ReceivedCallback",
        instanceId: instance.gatewayInstanceId,
        messageId: `IN-${instance.gatewayInstanceId}`,
        phone: customer,
        fromMe: false,
        isGroup: false,
        momment: Date.now(),
        senderName: "João",
        text: { message: inboundText },
      },
    },
  );
  assertEquals([status, body.recorded], [200, 1], JSON.stringify(body));
}

/** Queues the messages in turn, so that the texts of each instance ascend. */
async function fillQueue(
  service: ServiceCalls,
  instances: readonly LiveInstance[],
  { messages, intervalSeconds }: LiveOptions,
): Promise<AnsweredCall[]> {
  const calls: AnsweredCall[] = [];
  for (let number = 0; number < messages; number++) {
    const instance = instances[number % instances.length] as LiveInstance;
    calls.push(
      await callOnce(service, instance, "send-message", `queued-${number}`, {
        phone: `55119660${String(number).padStart(5, "0")}`,
        messageType: "text",
        message: String(number),
        queued: true,
        intervalSeconds,
      }),
    );
  }
  return calls;
}

async function callOnce(
  service: ServiceCalls,
  instance: LiveInstance,
  path: string,
  key: string,
  members: Readonly<Record<string, unknown>>,
  status = 200,
): Promise<AnsweredCall> {
  const body = { instanceId: instance.instanceId, ...members };
  const answer = await callWithKey(service, instance, path, key, body);
  assertEquals(answer.status, status, `${path} ${key}: ${JSON.stringify(answer.body)}`);
  return { instance, path, key, body, answer: answer.body };
}

/** The id of a call's message; undefined where it made none. send-template-message names it otherwise. */
export function idOf(answer: ServiceAnswer["body"]): string | undefined {
  return answer.internalMessageId ?? answer.messageId;
}

/** A call with an instance's token and an `Idempotency-Key`. */
export function callWithKey(
  service: ServiceCalls,
  { token }: LiveInstance,
  path: string,
  key: string,
  body: unknown,
): Promise<ServiceAnswer> {
  return service.call(path, {
    headers: { "x-client-token": token, "idempotency-key": key },
    body,
  });
}
