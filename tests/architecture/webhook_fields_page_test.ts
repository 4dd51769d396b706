/** docs/deploy.md names what a provider's webhook must bring: all that our readers take, and no more. */
import type { ProviderKind } from "../../shared/model/provider_kind.ts";
import { knownFields } from "../../shared/providers/webhooks/known_fields.ts";
import { assertEquals } from "../support/assert.ts";
import { readCodeSpans, readTables } from "./markdown.ts";
import { readText, readTextFiles } from "./repository.ts";

interface Subscription {
  /** Of the provider's table in the page. */
  readonly head: readonly string[];
  /** The names in the page, from that which a provider sends. */
  toSubscribed(field: string): string | undefined;
  /** Where the readers name what they take. */
  readonly sources: readonly string[];
}

const subscriptions: Readonly<Record<ProviderKind, Subscription>> = {
  whatsapp_cloud: {
    head: ["Meta's field", "Brings"],
    // `messages.text` is a type of message in the field `messages`.
    toSubscribed: (field) => field.includes(".") ? undefined : field,
    sources: ["events.ts", "number_events.ts"],
  },
  zapi: {
    head: ["Z-API's webhook", "Callback", "Brings"],
    // A notification comes by "Ao receber".
    toSubscribed: (field) => field.includes(".") ? undefined : field,
    sources: ["events.ts"],
  },
  evolution: {
    head: ["Evolution's event", "Brings"],
    toSubscribed: (field) => field.toUpperCase().replaceAll(".", "_"),
    sources: ["events.ts"],
  },
};

const kinds = Object.entries(subscriptions) as [ProviderKind, Subscription][];

/** What a page's table tells its reader to subscribe to, in the first two columns; another spelling too. */
function readSubscribed(text: string, { head }: Subscription): string[] {
  const known = /^(?:[a-z]+(?:_[a-z]+)*|[A-Z]+(?:_[A-Z]+)*|[A-Z][a-z]+\w*Callback)$/;
  return readTables({ path: "", text }, head).flatMap((row) => {
    const spelling = /\(`(\w+)` at older/.exec(row.join(" "))?.[1];
    const named = readCodeSpans({ path: "", text: row.slice(0, -1).join(" ") });
    return [...named, ...(spelling === undefined ? [] : [spelling])];
  }).filter((name) => known.test(name));
}

for (const [kind, subscription] of kinds) {
  Deno.test(`docs/deploy.md names each webhook field of ${kind} that is read, and no other`, async () => {
    const read = knownFields[kind].read.map(subscription.toSubscribed)
      .filter((name) => name !== undefined);
    const named = readSubscribed(await readText("docs/deploy.md"), subscription);
    assertEquals(named.sort(), [...new Set(read)].sort());
  });

  Deno.test(`each field of ${kind} that its reader names stands in the list of known fields`, async () => {
    const files = await readTextFiles(`shared/providers/${kind}`);
    const texts = files.filter(({ path }) =>
      subscription.sources.some((name) => path === `shared/providers/${kind}/${name}`)
    );
    assertEquals(texts.length, subscription.sources.length);
    const taken = texts.flatMap(({ text }) =>
      Array.from(text.matchAll(/^ {4}case "([\w.]+)":/gm), ([, name]) => name ?? "")
    );
    assertEquals(taken.length > 3, true, "the reader names fields");
    assertEquals(taken.filter((name) => !knownFields[kind].read.includes(name)), []);
  });
}

Deno.test("what docs/pace.md needs of a provider's webhook stands in docs/deploy.md", async () => {
  const [deploy, pace] = await Promise.all([readText("docs/deploy.md"), readText("docs/pace.md")]);
  const needed = readTables({ path: "", text: pace }, ["Channel", "Callback"])
    .flatMap((row) => readCodeSpans({ path: "", text: row.join(" ") }))
    .filter((name) => /Callback$|[._]/.test(name));
  assertEquals(needed.length >= 4, true);
  const named = kinds.flatMap(([, subscription]) => readSubscribed(deploy, subscription));
  const asSubscribed = (name: string): string =>
    name.includes(".") ? subscriptions.evolution.toSubscribed(name) ?? name : name;
  assertEquals(needed.filter((name) => !named.includes(asSubscribed(name))), []);
});

Deno.test("a field that a page does not name, or names without need, is found", () => {
  const { evolution } = subscriptions;
  const table = (rows: readonly string[]): string =>
    [`| ${evolution.head.join(" | ")} |`, "| --- | --- |", ...rows].join("\n");
  const page = table(["| `CALL`, `QRCODE_UPDATED` | missed `calls` |"]);
  assertEquals(readSubscribed(page, evolution), ["CALL", "QRCODE_UPDATED"]);
});
