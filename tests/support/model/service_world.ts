/**
 * What a model test acts on: the service in a process of its own, one tenant of it, a provider that
 * records each call, and a clock that can be moved on.
 */

import { letTimePass } from "../database/time_travel.ts";
import { createTestDatabase } from "../database/database.ts";
import { untilSessionsRest } from "../database/sessions.ts";
import {
  acceptMessage,
  answerUnknown,
  type DoubleRequest,
  startHttpDouble,
} from "../doubles/http_double.ts";
import { createOperator, createTenant, type Tenant } from "../fixtures/tenant.ts";
import { secretKey } from "../stack/function_process.ts";
import {
  ownRoot,
  type ServiceAnswer,
  type ServiceProcess,
  startService,
} from "../stack/service_process.ts";
import { waitUntil } from "../wait_until.ts";
import type { Sql } from "postgres";

export type Json = Readonly<Record<string, unknown>>;

/** What becomes of a message at the provider; the last word of its text says it. */
export const fates = ["accepted", "refused", "unknown"] as const;
export type Fate = (typeof fates)[number];

/** One call of the provider. */
export interface ProviderCall {
  /** The gateway's name of the instance. */
  readonly gateway: string;
  readonly to: string;
  readonly text: string;
  /** Its arrival by the world's clock, in milliseconds. */
  readonly atMs: number;
  /** The same by the clock that histories have: performance.now(). */
  readonly arrivedAt: number;
  /** The id that the provider gave it; empty where it was not accepted. */
  readonly providerMessageId: string;
}

/** A tenant of the world, with two operators. */
export interface ModelTenant extends Tenant {
  readonly operators: readonly string[];
}

/** The service and what surrounds it. */
export interface ServiceWorld extends AsyncDisposable {
  readonly admin: Sql;
  /** In order of arrival, of all tenants. */
  readonly providerCalls: readonly ProviderCall[];
  readonly provider: { readonly baseUrl: string };
  createTenant(): Promise<ModelTenant>;
  /** Calls a function as a tenant. @returns null where the process died meanwhile. */
  call(tenant: Tenant, path: string, request?: WorldRequest): Promise<ServiceAnswer | null>;
  /** Calls admin-api. @throws {Error} unless it answers 2xx. */
  administer(method: string, path: string, body: Json): Promise<void>;
  /** Milliseconds since 1970, with all that has been skipped. */
  nowMs(): number;
  /** Counts what another clock has skipped as well: that of one instance's queue. */
  follow(skippedByOtherMs: () => number): void;
  /** Lets time pass at once. Only while nothing is in flight. */
  skip(seconds: number): Promise<void>;
  /** One run of the dispatcher, until it has ended: after a second, or when it has sent so many messages. */
  dispatch(maxMessages?: number): Promise<void>;
  /** Begins a run of the dispatcher, without waiting for its end. */
  beginDispatch(maxMessages?: number): Promise<void>;
  /** Keeps back the provider's answer to the next call. Resolves when the call has come. */
  holdNextCall(): Promise<void>;
  /** Kills the process, lets what the provider kept back go, and starts another process. */
  killAndRestart(): Promise<void>;
  /** Resolves when the process that follows a killed one responds. */
  untilStarted(): Promise<void>;
  /** Ends the process as a deployment does, and starts another one. */
  restart(): Promise<void>;
}

/** A call of a world's tenant. */
export interface WorldRequest {
  readonly method?: string;
  readonly body?: Json;
  readonly idempotencyKey?: string;
}

/** How long the service waits for a provider. */
export const providerTimeoutMs = 2_000;
/** How long its claims last. */
export const claimSeconds = providerTimeoutMs / 1_000 + 15;
/** After so many seconds the claim of a dead process is over. */
export const leaseSeconds = claimSeconds + 1;

/**
 * Starts a world. Its dispatcher runs only when it is called.
 *
 * @param answerAfterMs how long the provider takes for an answer.
 * @param environment further variables of the service.
 */
export async function startWorld(
  answerAfterMs: () => number = () => 0,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceWorld> {
  await using cleanup = new AsyncDisposableStack();
  const database = cleanup.use(await createTestDatabase());
  const providerCalls: ProviderCall[] = [];
  let skippedMs = 0;
  let skippedByOtherMs = (): number => 0;
  const nowMs = (): number => Date.now() + skippedMs + skippedByOtherMs();
  let hold: Hold | null = null;
  const kept: Hold[] = [];
  const release = (): void => {
    hold = null;
    for (const { released } of kept.splice(0)) released.resolve();
  };
  cleanup.defer(release);
  const provider = cleanup.use(
    startHttpDouble(async (request) => {
      const providerMessageId = crypto.randomUUID();
      const call = readCall(request, nowMs(), providerMessageId);
      if (call !== null) providerCalls.push(call);
      if (call !== null && hold !== null) {
        const held: Hold = hold;
        hold = null;
        kept.push(held);
        held.arrived.resolve();
        await held.released.promise;
      }
      await new Promise((resolve) => setTimeout(resolve, answerAfterMs()));
      const answer = answerAsFated(request);
      return call === null || fateOf(call.text) !== "accepted" ? answer : Response.json({
        zaapId: crypto.randomUUID(),
        messageId: providerMessageId,
        id: providerMessageId,
      });
    }),
  );
  const start = (): Promise<ServiceProcess> =>
    startService({
      root: ownRoot,
      databaseUrl: database.url,
      environment: { PROVIDER_TIMEOUT_MS: String(providerTimeoutMs), ...environment },
    });
  let service = await start();
  let started = Promise.resolve();
  cleanup.defer(() => service.kill());
  const beginDispatch = async (maxMessages = 5_000): Promise<void> => {
    const answer = await service.call(`dispatch-queue?maxSeconds=1&maxMessages=${maxMessages}`, {
      method: "POST",
      headers: { apikey: secretKey },
    }).catch(() => null);
    if (answer !== null && answer.status >= 400) {
      throw new Error(`dispatch-queue: ${JSON.stringify(answer)}`);
    }
  };
  const keep = cleanup.move();
  return {
    admin: database.admin,
    providerCalls,
    provider,
    createTenant: async () => {
      const tenant = await createTenant(database.admin, { baseUrl: provider.baseUrl });
      const operators = await Promise.all(
        ["Ana", "Bia"].map((name) =>
          createOperator(database.admin, tenant.workspaceId, {
            name,
            email: `${name.toLowerCase()}@example.com`,
          })
        ),
      );
      return { ...tenant, operators };
    },
    call: async (tenant, path, { method, body, idempotencyKey } = {}) => {
      const headers = {
        "x-client-token": tenant.token,
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      };
      const sent = body === undefined ? {} : { body: { instanceId: tenant.instanceId, ...body } };
      return await service.call(path, {
        ...(method === undefined ? {} : { method }),
        headers,
        ...sent,
      }).catch(() => null);
    },
    administer: async (method, path, body) => {
      const answer = await service.call(`admin-api/${path}`, {
        ...{ method, headers: { apikey: secretKey }, body },
      });
      if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    },
    nowMs,
    follow: (other) => {
      skippedByOtherMs = other;
    },
    skip: async (seconds) => {
      await letTimePass(database.admin, seconds);
      skippedMs += seconds * 1_000;
    },
    beginDispatch,
    dispatch: async (maxMessages) => {
      const before = service.runs.length;
      await beginDispatch(maxMessages);
      await waitUntil(() => service.runs.length > before, { what: "the end of the run" });
    },
    holdNextCall: () => {
      hold = { arrived: Promise.withResolvers(), released: Promise.withResolvers() };
      return hold.arrived.promise;
    },
    killAndRestart: async () => {
      const next = Promise.withResolvers<void>();
      started = next.promise;
      await service.kill();
      release();
      await untilSessionsRest(database.admin);
      service = await start();
      next.resolve();
    },
    untilStarted: () => started,
    restart: async () => {
      await service.terminate();
      service = await start();
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

/** A call that is kept unanswered, once it has come. */
interface Hold {
  readonly arrived: PromiseWithResolvers<void>;
  readonly released: PromiseWithResolvers<void>;
}

function answerAsFated(request: DoubleRequest): Response {
  switch (fateOf(String(request.json["message"] ?? ""))) {
    case "refused":
      return Response.json({ error: "invalid" }, { status: 400 });
    case "unknown":
      return answerUnknown();
    case "accepted":
      return acceptMessage(request);
  }
}

/** What the provider will do with a text. */
export function fateOf(text: string): Fate {
  return fates.find((fate) => text.endsWith(` ${fate}`)) ?? "accepted";
}

/** Null for what is no message: a status of the connection, for example. */
function readCall(
  { path, json }: DoubleRequest,
  atMs: number,
  providerMessageId: string,
): ProviderCall | null {
  const gateway = /^\/instances\/([^/]+)\/.*\/send-text$/.exec(path)?.[1];
  if (gateway === undefined) return null;
  const text = String(json["message"]);
  return {
    ...{ gateway, to: String(json["phone"]), text, atMs, arrivedAt: performance.now() },
    providerMessageId: fateOf(text) === "accepted" ? providerMessageId : "",
  };
}
