/** The official channel with templates, persons who write, and a channel that refuses as it is told to. */

import { assertEquals } from "../../support/assert.ts";
import { acceptMessage, type DoubleRequest } from "../../support/doubles/http_double.ts";
import { insertTemplate } from "../../support/fixtures/approved_template.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import type { Answer, StackOptions } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  phone,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

export { phone };

type Json = Readonly<Record<string, unknown>>;

export interface LadderClient extends AsyncDisposable {
  readonly client: WebhookClient;
  readonly tenant: Tenant;
  /** A template with the body `{{1}}`, approved unless told otherwise. */
  createTemplate(name: string, options?: { status?: string; category?: string }): Promise<string>;
  /** A text to the person outside the window, with a ladder. */
  send(outsideWindow: readonly Json[], members?: Json): Promise<Answer>;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  read(messageId: string): Promise<any>;
  /** A text of the person. */
  write(body?: string, members?: Json): Promise<void>;
  /** A status that the channel tells of a message. */
  tell(providerMessageId: string, status: string, code?: number): Promise<void>;
  /** Makes the person known, who has written so many hours ago. */
  knowPerson(hoursAgo: number, address?: string): Promise<void>;
  /**
   * Lets dispatchers work until the channel has been called so often in all: what was released leaves one
   * after the other, half a second apart or as far as the machine can.
   */
  dispatchUntil(calls: number): Promise<void>;
  /** What the channel was called with, in order: `text`, `template:<name>`, with `+utility`. */
  calls(): string[];
  /** The types of the events of a message, in order. */
  events(messageId: string): Promise<string[]>;
}

/** Use `await using`. */
export async function startLadderClient(options: StackOptions = {}): Promise<LadderClient> {
  const client = await createWebhookClient(options);
  const { stack } = client;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const read: LadderClient["read"] = async (messageId) =>
    (await stack.messages(tenant, "GET", `/messages/${messageId}`)).body;
  return {
    client,
    tenant,
    read,
    createTemplate: (name, options) =>
      insertTemplate(stack.admin, tenant.workspaceId, name, options),
    send: async (outsideWindow, members = {}) => {
      const answer = await stack.send(tenant, {
        phone,
        messageType: "text",
        message: "Seu pedido\nsaiu",
        outsideWindow,
        ...members,
      });
      await stack.finishBackground();
      return answer;
    },
    write: async (body = "Oi", members = {}) => {
      const id = `wamid.${crypto.randomUUID()}`;
      const answer = await client.cloud(
        tenant,
        cloudPayload({
          contacts: [{ profile: { name: "Ana" }, wa_id: phone }],
          messages: [cloudText(id, body, members)],
        }),
      );
      assertEquals(answer.status, 200, JSON.stringify(answer.body));
    },
    tell: async (id, status, code) => {
      const errors = code === undefined ? {} : { errors: [{ code, title: "refused" }] };
      const timestamp = `${Math.floor(Date.now() / 1_000)}`;
      const told = { id, status, timestamp, recipient_id: phone, ...errors };
      const answer = await client.cloud(tenant, cloudPayload({ statuses: [told] }));
      assertEquals(answer.status, 200, JSON.stringify(answer.body));
    },
    knowPerson: async (hoursAgo, address = phone) => {
      await stack.admin`
        insert into messaging.contacts (instance_id, phone, identity_key, origin, last_inbound_at)
        values (${tenant.instanceId}, ${address}, ${address}, 'api',
          now() - make_interval(hours => ${hoursAgo}))
        on conflict (instance_id, identity_key)
        do update set last_inbound_at = excluded.last_inbound_at`;
    },
    dispatchUntil: async (calls) => {
      await waitUntil(async () => {
        await stack.dispatch({ durationMs: 600 });
        return stack.provider.requests.length >= calls;
      }, { what: `${calls} calls of the channel`, intervalMs: 1 });
    },
    calls: () => stack.provider.requests.map(nameCall),
    events: async (messageId) => {
      const rows = await stack.admin<{ type: string }[]>`
        select e.type from messaging.events e where (e.message).id = ${messageId}
        order by e.sequence`;
      return rows.map(({ type }) => type);
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

export function nameCall({ json }: DoubleRequest): string {
  const template = json["template"] as { readonly name?: string } | undefined;
  const type = template === undefined ? String(json["type"]) : `template:${template.name}`;
  return json["category"] === undefined ? type : `${type}+${json["category"]}`;
}

/** A channel that refuses calls by their names (see `nameCall`), each with a code of Meta's. */
export function refuseCalls(
  codes: Readonly<Record<string, number>>,
): (request: DoubleRequest) => Response {
  return (request) => {
    const code = codes[nameCall(request)];
    return code === undefined
      ? acceptMessage(request)
      : Response.json({ error: { code, message: "refused" } }, { status: 400 });
  };
}

/** The values of the template that a call carried. */
export function readValues({ json }: DoubleRequest): string[] {
  const { components = [] } = json["template"] as {
    readonly components?: readonly { readonly parameters: readonly { readonly text: string }[] }[];
  };
  return components.flatMap(({ parameters }) => parameters.map(({ text }) => text));
}
