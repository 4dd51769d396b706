/** A tenant with webhook endpoints, and receivers for them. */
import { Webhook } from "standardwebhooks";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  type Answer,
  type MessagingStack,
  type StackOptions,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";

/** A call that a receiver got. */
export interface ReceivedCall {
  readonly id: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly body: string;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever was sent
  readonly event: any;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly calls: ReceivedCall[];
  /** May be replaced at any time. Default: 204. */
  answer: (call: ReceivedCall) => Response | Promise<Response>;
}

/** A real HTTP server that stores what it gets. */
export function startReceiver(): Receiver {
  const isOver = Promise.withResolvers<Response>();
  const server = startTestServer(
    async (request) => {
      const body = await request.text();
      const read = (name: string): string => request.headers.get(name) ?? "";
      const call: ReceivedCall = {
        id: read("webhook-id"),
        timestamp: Number(read("webhook-timestamp")),
        signature: read("webhook-signature"),
        body,
        headers: request.headers,
        event: JSON.parse(body),
      };
      receiver.calls.push(call);
      return await Promise.race([receiver.answer(call), isOver.promise]);
    },
  );
  const receiver: Receiver = {
    url: `${server.origin}/hook`,
    calls: [],
    answer: () => new Response(null, { status: 204 }),
    [Symbol.asyncDispose]: async () => {
      isOver.resolve(new Response(null, { status: 500 }));
      await server[Symbol.asyncDispose]();
    },
  };
  return receiver;
}

/** What a receiver does: verifies with the public package. Throws where the signature is wrong. */
export function verify(secret: string, call: ReceivedCall): unknown {
  return new Webhook(secret).verify(call.body, {
    "webhook-id": call.id,
    "webhook-timestamp": String(call.timestamp),
    "webhook-signature": call.signature,
  });
}

export interface WebhookClient extends AsyncDisposable {
  readonly stack: MessagingStack;
  readonly tenant: Tenant;
  readonly receiver: Receiver;
  /** A call to events-api as the tenant, or as another one. */
  call(
    method: string,
    path: string,
    body?: Readonly<Record<string, unknown>>,
    options?: { readonly tenant?: Tenant; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Answer>;
  /** Makes an endpoint, by default at the receiver. */
  createEndpoint(
    fields?: Readonly<Record<string, unknown>>,
    tenant?: Tenant,
  ): Promise<{ readonly endpointId: string; readonly secret: string }>;
  /** Records events, `type` with `data`, each in a transaction of its own. */
  record(
    count: number,
    type?: string,
    data?: (place: number) => Record<string, string | number>,
  ): Promise<void>;
  /** The endpoint's deliveries, oldest first. */
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  deliveries(endpointId: string, query?: string): Promise<any[]>;
  letTimePass(seconds: number): Promise<void>;
}

export async function startWebhookClient(options: StackOptions = {}): Promise<WebhookClient> {
  await using cleanup = new AsyncDisposableStack();
  const stack = cleanup.use(await startMessagingStack(options));
  const receiver = cleanup.use(startReceiver());
  const tenant = await stack.createTenant();
  const client: WebhookClient = {
    stack,
    tenant,
    receiver,
    call: (method, path, body, { tenant: caller = tenant, headers = {} } = {}) =>
      stack.request(`/events-api${path}`, {
        method,
        headers: {
          "X-Client-Token": caller.token,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    createEndpoint: async (fields = {}, caller = tenant) => {
      const body = { url: receiver.url, ...fields };
      const created = await client.call("POST", "/endpoints", body, { tenant: caller });
      if (created.status !== 201) throw new Error(JSON.stringify(created.body));
      return created.body;
    },
    record: async (count, type = "agent.paused", data = (place) => ({ place })) => {
      for (let place = 1; place <= count; place++) {
        await stack.admin`
          select messaging.record_event(
            ${tenant.instanceId}::uuid, null, ${type}, ${stack.admin.json(data(place))}
          )`;
      }
    },
    deliveries: async (endpointId, query = "") => {
      const listed = await client.call("GET", `/endpoints/${endpointId}/deliveries${query}`);
      if (listed.status !== 200) throw new Error(JSON.stringify(listed.body));
      return listed.body.items.toReversed();
    },
    letTimePass: (seconds) => letTimePass(stack.admin, seconds),
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
  const keep = cleanup.move();
  return client;
}
