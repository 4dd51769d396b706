/** Callers that change everything events tell of, by the public API, while its process is killed. */

import { setTimeout as delay } from "node:timers/promises";
import type { DoubleAnswer } from "../doubles/http_double.ts";
import { acceptMessage, answerUnknown } from "../doubles/http_double.ts";
import type { Tenant } from "../fixtures/tenant.ts";
import type { SeededRandom } from "../seeded_random.ts";
import type { ServiceAnswer, ServiceProcess } from "../stack/service_process.ts";

type Json = Readonly<Record<string, unknown>>;

/** Who calls, for whom, and where. */
export interface TrafficOptions {
  readonly random: SeededRandom;
  readonly tenants: readonly Tenant[];
  /** Whom conversations are assigned to: operators that every tenant has. */
  readonly operators: readonly string[];
  readonly callers: number;
  /** Where to call now. Its process may be dead. */
  readonly service: () => ServiceProcess;
}

/** Running callers. */
export interface EventTraffic extends AsyncDisposable {
  /** How often each status was answered; `none` where the process was killed. */
  readonly answers: ReadonlyMap<number | "none", number>;
  /** Answers of 500, which nothing may cause. */
  readonly defects: readonly string[];
  /** Makes no more calls and waits for the last ones. */
  stop(): Promise<void>;
}

const phones = ["5511987654321", "5521912345678", "5531912345678", "5541912345678"];
const hidden = ["111111111111111@lid", "222222222222222@lid"];
/** What {@link createTenant} configures. */
const webhookSecret = "hook-secret-value";
/** How long a message waits that is queued only to be canceled. */
const farSeconds = 900;

/** Starts to call. */
export function startEventTraffic(options: TrafficOptions): EventTraffic {
  const answers = new Map<number | "none", number>();
  const defects: string[] = [];
  let isStopping = false;
  const call: Call = async (tenant, path, body, method) => {
    const answer = await callOnce(options.service(), tenant, path, body, method);
    const status = answer?.status ?? "none";
    answers.set(status, (answers.get(status) ?? 0) + 1);
    if (status === 500) defects.push(`${path}: ${JSON.stringify(answer?.body)}`);
    // Until the next process is there.
    if (status === "none") await delay(20);
    return answer;
  };
  const run = async (): Promise<void> => {
    while (!isStopping) await callAtRandom(options, call);
  };
  const running = Promise.all(Array.from({ length: options.callers }, run));
  const stop = async (): Promise<void> => {
    isStopping = true;
    await running;
  };
  return { answers, defects, stop, [Symbol.asyncDispose]: stop };
}

/** A provider's answers: most messages are accepted, some refused, some left in doubt. */
export function answerAtRandom(random: SeededRandom): DoubleAnswer {
  return async (request) => {
    await delay(random.between(5, 400));
    const chance = random.between(0, 1);
    if (chance < 0.06) return Response.json({ error: "invalid" }, { status: 400 });
    return chance < 0.12 ? answerUnknown() : acceptMessage(request);
  };
}

type Call = (
  tenant: Tenant,
  path: string,
  body?: Json,
  method?: string,
) => Promise<ServiceAnswer | null>;

/** Null where the process is killed during the call, or has been. */
async function callOnce(
  service: ServiceProcess,
  { instanceId, token }: Tenant,
  path: string,
  body?: Json,
  method = body === undefined ? "GET" : "POST",
): Promise<ServiceAnswer | null> {
  const headers = { "x-client-token": token };
  const sent = body === undefined ? {} : { body: { instanceId, ...body } };
  return await service.call(path, { method, headers, ...sent }).catch(() => null);
}

/** One random call, or several about one message. */
async function callAtRandom(
  { random, tenants, operators }: TrafficOptions,
  call: Call,
): Promise<unknown> {
  const choose = <Item>(...items: readonly Item[]): Item =>
    items[Math.floor(random.between(0, items.length))] as Item;
  const tenant = choose(...tenants);
  const target = { phone: choose(...phones) };
  const text = { ...target, messageType: "text", message: "Olá", sentBy: "CRM" };
  const receive = (payload: Json): Promise<ServiceAnswer | null> =>
    call(tenant, `provider-webhook/zapi/${tenant.instanceId}/${webhookSecret}`, {
      ...{ instanceId: tenant.gatewayInstanceId, momment: Date.now(), ...payload },
    });
  const receiveText = (from: Json): Promise<unknown> =>
    receive({
      ...{ type: "ReceivedCallback", messageId: crypto.randomUUID(), isGroup: false },
      ...{ fromMe: false, senderName: choose("A", "B"), text: { message: "oi" }, ...from },
    });
  const sendAndConfirm = async (): Promise<void> => {
    const answer = await call(tenant, "send-message", text);
    const id = answer?.body.providerMessageId;
    if (typeof id !== "string") return;
    for (const status of ["RECEIVED", "READ"]) {
      const reported = await receive({ type: "MessageStatusCallback", status, ids: [id] });
      // Unanswered, it may still be recorded after the next one.
      if (reported === null) return;
    }
  };
  const queueAndCancel = async (): Promise<void> => {
    const answer = await call(tenant, "send-message", { ...text, delayMessage: farSeconds });
    if (answer?.status !== 200) return;
    await call(tenant, `messages-api/messages/${answer.body.messageId}`, undefined, "DELETE");
  };
  return await choose(
    sendAndConfirm,
    sendAndConfirm,
    queueAndCancel,
    () => call(tenant, "send-message", { ...text, delayMessage: 0.2 }),
    () => receiveText(target),
    () => receiveText({ phone: choose(...hidden) }),
    () => receiveText({ ...target, senderLid: choose(...hidden) }),
    () => call(tenant, "contacts-api/create", { ...target, name: choose("A", "B", "C") }),
    () => call(tenant, "contacts-api/update", { ...target, name: choose("A", "B", "C") }),
    () => call(tenant, "contacts-api/tags", { ...target, addTags: [choose("x", "y")] }),
    () => call(tenant, "conversations-api/assign", { ...target, assignTo: choose(...operators) }),
    () => call(tenant, "conversations-api/status", { ...target, status: choose("open", "closed") }),
    () => call(tenant, "conversations-api/agent-pause", { ...target, paused: choose(true, false) }),
  )();
}

/** Cancels what was queued only to be canceled, where the caller was cut off in between. */
export async function cancelFar(
  service: ServiceProcess,
  tenants: readonly Tenant[],
): Promise<void> {
  for (const tenant of tenants) {
    const path = `messages-api/queue?instanceId=${tenant.instanceId}&limit=100`;
    const queue = await callOnce(service, tenant, path);
    for (const { messageId, scheduledFor } of queue?.body.items) {
      if (Date.parse(scheduledFor) < Date.now() + farSeconds * 500) continue;
      await callOnce(service, tenant, `messages-api/messages/${messageId}`, undefined, "DELETE");
    }
  }
}
