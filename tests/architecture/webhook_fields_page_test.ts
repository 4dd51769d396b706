/** A page of docs/ names what a provider's webhook must bring: all that our readers take, and no more. */
import type { ProviderKind } from "../../shared/model/provider_kind.ts";
import { registry } from "../../shared/providers/registry.ts";
import { assertEquals } from "../support/assert.ts";
import type { Subscription } from "../support/providers/facts.ts";
import { factsOf } from "../support/providers/registered_facts.ts";
import { readCodeSpans, readTables } from "./markdown.ts";
import { readText, readTextFiles } from "./repository.ts";

/** What a page's table tells its reader to subscribe to, in the first two columns; another spelling too. */
function readSubscribed(text: string, { head }: Subscription): string[] {
  const known = /^(?:[a-z]+(?:[._][a-z]+)*|[A-Z]+(?:_[A-Z]+)*|[A-Z][a-z]+\w*Callback)$/;
  return readTables({ path: "", text }, head).flatMap((row) => {
    const spelling = /\(`(\w+)` at older/.exec(row.join(" "))?.[1];
    const named = readCodeSpans({ path: "", text: row.slice(0, -1).join(" ") });
    return [...named, ...(spelling === undefined ? [] : [spelling])];
  }).filter((name) => known.test(name));
}

for (const { kind, webhook: { knownFields } } of registry.providers) {
  const { subscription } = factsOf[kind as ProviderKind];

  Deno.test(`${subscription.page} names each webhook field of ${kind} that is read, and no other`, async () => {
    const read = knownFields.read.map(subscription.toSubscribed)
      .filter((name) => name !== undefined);
    const named = readSubscribed(await readText(subscription.page), subscription);
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
    assertEquals(taken.filter((name) => !knownFields.read.includes(name)), []);
  });
}

Deno.test("what docs/pace.md needs of a provider's webhook stands in the page of its fields", async () => {
  const needed = readTables({ path: "", text: await readText("docs/pace.md") }, [
    "Channel",
    "Callback",
  ]).flatMap((row) => readCodeSpans({ path: "", text: row.join(" ") }))
    .filter((name) => /Callback$|[._]/.test(name));
  assertEquals(needed.length >= 4, true);
  const known = registry.providers.map(({ kind }) => factsOf[kind as ProviderKind].subscription);
  const named = (await Promise.all(
    known.map(async (one) => readSubscribed(await readText(one.page), one)),
  )).flat();
  const isNamed = (name: string): boolean =>
    known.some(({ toSubscribed }) => named.includes(toSubscribed(name) ?? name));
  assertEquals(needed.filter((name) => !isNamed(name)), []);
});

Deno.test("a field that a page does not name, or names without need, is found", () => {
  const { subscription } = factsOf.evolution;
  const table = (rows: readonly string[]): string =>
    [`| ${subscription.head.join(" | ")} |`, "| --- | --- |", ...rows].join("\n");
  const page = table(["| `CALL`, `QRCODE_UPDATED` | missed `calls` |"]);
  assertEquals(readSubscribed(page, subscription), ["CALL", "QRCODE_UPDATED"]);
});
