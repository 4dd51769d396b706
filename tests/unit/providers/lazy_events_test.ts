import { readProviderEvents } from "../../support/providers/provider_events.ts";
import { readEvolutionEvents } from "../../../shared/providers/evolution/events.ts";
import { readWhatsappCloudEvents } from "../../../shared/providers/whatsapp_cloud/events.ts";
import { assert, assertEquals } from "../../support/assert.ts";

/** Items that count how many of them were read. */
function createCountedItems(item: object): { readonly items: unknown[]; count(): number } {
  const read = new Set<number>();
  const items = Array.from({ length: 1_000 }, (_, place) =>
    new Proxy(item, {
      getOwnPropertyDescriptor: (target, name) => {
        read.add(place);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    }));
  return { items, count: () => read.size };
}

Deno.test("each item of a payload is read when its event is asked for, so that others are served meanwhile", () => {
  const cloud = (value: object): unknown => ({
    entry: [{ id: "1", changes: [{ field: "messages", value }] }],
  });
  const status = { id: "w1", status: "sent", timestamp: "1700000000", recipient_id: "1" };
  const message = { from: "5511988887777", id: "w1", timestamp: "1700000000", type: "text" };
  const key = { remoteJid: "5511988887777@s.whatsapp.net", fromMe: false, id: "w1" };
  const cases = [
    ["whatsapp_cloud", status, (items: unknown[]) => cloud({ statuses: items })],
    [
      "whatsapp_cloud",
      { ...message, text: { body: "a" } },
      (items: unknown[]) => cloud({ messages: items }),
    ],
    ["evolution", { key, message: { conversation: "a" }, messageTimestamp: 1 }, (
      items: unknown[],
    ) => ({ event: "messages.upsert", data: items })],
  ] as const;
  for (const [kind, item, compose] of cases) {
    const { items, count } = createCountedItems(item);
    const read = kind === "evolution" ? readEvolutionEvents : readWhatsappCloudEvents;
    let first: unknown;
    for (const event of read(compose(items))) {
      first = event;
      if (event !== undefined) break;
    }
    assert(first !== undefined, kind);
    assertEquals(count(), 1, kind);
    assertEquals(readProviderEvents(kind, compose(items)).length, 1_000);
  }
});
