/** Typing that a gateway tells prolongs an open turn, and nothing of it is kept. */

import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { assertEquals } from "../../support/assert.ts";
import { wahaEvent } from "../../support/providers/waha/facts.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { createWebhookClient, phone } from "./webhook_client.ts";

interface Gateway {
  readonly kind: ProviderKind;
  /** Its word for somebody who types, and for somebody who does not. */
  readonly typing: string;
  readonly idle: string;
  /** Its delivery of such a word. */
  toPayload(word: string): unknown;
}

const gateways: readonly Gateway[] = [
  {
    ...{ kind: "zapi", typing: "COMPOSING", idle: "PAUSED" },
    toPayload: (status: string) => ({ type: "PresenceChatCallback", phone, status }),
  },
  {
    ...{ kind: "evolution", typing: "composing", idle: "available" },
    toPayload: (lastKnownPresence: string) => {
      const id = `${phone}@s.whatsapp.net`;
      return {
        event: "presence.update",
        data: { id, presences: { [id]: { lastKnownPresence } } },
      };
    },
  },
  {
    ...{ kind: "waha", typing: "typing", idle: "offline" },
    toPayload: (lastKnownPresence: string) => {
      const id = `${phone}@c.us`;
      return wahaEvent("presence.update", {
        ...{ id, presences: [{ participant: id, lastKnownPresence, lastSeen: null }] },
      });
    },
  },
];

for (const { kind, typing, idle, toPayload } of gateways) {
  Deno.test(`${kind}: a delivery about typing moves the end of the open turn, is not kept, and changes nothing without turns`, async () => {
    for (const hasTurns of [true, false]) {
      await using client = await createWebhookClient();
      const tenant = await client.createTenant({ provider: kind });
      const { admin } = client.stack;
      const turns = { quietSeconds: 60, maxSeconds: 300 };
      await admin`update messaging.instances set turns = ${hasTurns ? admin.json(turns) : null}`;
      await client.tell(kind, tenant, factsOf[kind].toText("in-1", "oi"));
      const read = async (): Promise<{ payloads: number; due: Date | null }> => {
        const [row] = await admin<{ payloads: number; due: Date | null }[]>`
          select t.due_at as due,
            (select count(*)::integer from messaging.provider_events) as payloads
          from messaging.contacts c
          left join messaging.conversation_turns t on t.contact_id = c.id`;
        return row!;
      };
      await admin`update messaging.conversation_turns set due_at = due_at - interval '30 seconds'`;
      const before = await read();
      assertEquals([before.payloads, before.due !== null], [1, hasTurns]);
      assertEquals((await client.tell(kind, tenant, toPayload(idle))).status, 200);
      assertEquals(await read(), before);
      assertEquals((await client.tell(kind, tenant, toPayload(typing))).status, 200);
      const after = await read();
      assertEquals(after.payloads, 1);
      assertEquals((after.due ?? 0) > (before.due ?? 0), hasTurns);
    }
  });
}
