/** For any webhook payload: no reader throws, and every event can be stored. */
import fc from "fast-check";
import { type ProviderKind, providerKinds } from "../../../shared/model/provider_kind.ts";
import type { ProviderEvent } from "../../../shared/providers/webhooks/provider_event.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { cloudChange } from "./event_payloads.ts";
import { readProviderEvents } from "../../support/providers/provider_events.ts";
import { parseWebhookPayload } from "../../../shared/providers/webhooks/payload.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const isoPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Longest value of each member; unlisted members are ids. */
const bounds: Readonly<Record<string, number>> = {
  message: 65_536,
  note: 65_536,
  welcomeMessage: 4_096,
  mediaUrl: 2_048,
  contactName: 200,
  chatName: 200,
  mediaFilename: 200,
  title: 4_096,
  ...Object.fromEntries(
    ["address", "body", "description", "details", "footer", "headline", "question"]
      .map((name) => [name, 4_096]),
  ),
};

function assertBounded(value: unknown, name: string): void {
  if (typeof value === "string") {
    assert(value.isWellFormed() && !value.includes("\0"), `${name} is not storable`);
    assert(value.length <= (bounds[name] ?? 512), `${name} is too long`);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) assertBounded(member, key);
  }
}

function assertId(value: unknown): void {
  assert(typeof value === "string" && value.trim() !== "", `no id: ${value}`);
}

function assertInstant(value: string | undefined): void {
  if (value !== undefined) assert(isoPattern.test(value), value);
}

function assertMessage(event: Extract<ProviderEvent, { kind: "message" }>): void {
  const addresses = [event.address, ...event.otherAddresses];
  addresses.forEach(assertId);
  assertId(event.providerMessageId);
  assertEquals(new Set(addresses).size, addresses.length);
  assertEquals(typeof event.isGroup, "boolean");
  assertInstant(event.sentAt);
  if (event.choice !== undefined) assertId(event.choice.title);
  if (event.messageType === "text" || event.messageType === "other") assertId(event.message);
}

function assertStorable(event: ProviderEvent): void {
  assertBounded(event, event.kind);
  switch (event.kind) {
    case "message":
      return assertMessage(event);
    case "reaction":
      assertId(event.providerMessageId);
      return assertId(event.message);
    case "status":
      assertId(event.providerMessageId);
      assertInstant(event.at);
      assertEquals(event.error !== undefined, event.status === "failed");
      assert(event.messageId === undefined || uuidPattern.test(event.messageId));
      return;
    case "template_status":
      assert(/^\d+$/.test(event.providerTemplateId));
      return assertId(event.status);
    case "number_change":
      assertId(event.oldAddress);
      return assertId(event.newAddress);
  }
}

function assertReadable(kind: ProviderKind, payload: unknown): ProviderEvent[] {
  const events = readProviderEvents(kind, payload);
  events.forEach(assertStorable);
  return events;
}

const strange = fc.oneof(
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
  fc.string({ unit: "binary" }),
  fc.constantFrom("\0", "\uD800a", "x".repeat(70_000), "🙂".repeat(40_000), " ", "1749416383"),
  fc.constantFrom("__proto__", "constructor", "toString", "failed", "READ", "text", "system"),
  fc.constantFrom<unknown>(1e300, -1, NaN, Infinity, 1749416383, 1749416383000, true, null, []),
);

/** Lists the paths of all replaceable values in a payload. */
function listPaths(json: unknown): (readonly string[])[] {
  if (typeof json !== "object" || json === null) return [[]];
  return [
    [],
    ...Object.entries(json).flatMap(([key, value]) =>
      listPaths(value).map((path) => [key, ...path])
    ),
  ];
}

/** The payload with `value` at `path`. */
function replaceAt(json: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(json)) return json.with(Number(key), replaceAt(json[Number(key)], rest, value));
  const record = json as Record<string, unknown>;
  return { ...record, [key]: replaceAt(record[key], rest, value) };
}

for (const kind of providerKinds) {
  Deno.test(`${kind}: no payload makes the reader throw or keep what cannot be stored`, () => {
    fc.assert(fc.property(strange, (payload) => void assertReadable(kind, payload)));
  });

  Deno.test(`${kind}: each sample gives an event, and two replaced values never make the reader throw`, () => {
    for (const sample of factsOf[kind].samples) {
      assertEquals(assertReadable(kind, sample).length > 0, true, JSON.stringify(sample));
    }
    const spoiled = fc.constantFrom(...factsOf[kind].samples).chain((sample) =>
      fc.array(fc.tuple(fc.constantFrom(...listPaths(sample)), strange), {
        minLength: 1,
        maxLength: 2,
      }).map((changes) => spoil(sample, changes))
    );
    fc.assert(
      fc.property(spoiled, (payload) => void assertReadable(kind, payload)),
      { numRuns: 2_000 },
    );
  });

  Deno.test(`${kind}: a value nested ten thousand deep never makes the reader throw`, () => {
    for (const open of ["[", '{"message":']) {
      const close = open === "[" ? "]" : "}";
      const nested = `${open.repeat(10_000)}1${close.repeat(10_000)}`;
      for (const sample of factsOf[kind].samples) {
        for (const path of listPaths(sample)) {
          const text = JSON.stringify(replaceAt(sample, path, "@here")).replace('"@here"', nested);
          assertReadable(kind, parseWebhookPayload(text));
        }
      }
    }
  });
}

/** Applies the changes. Skips a path that an earlier change has removed. */
function spoil(
  sample: unknown,
  changes: readonly (readonly [readonly string[], unknown])[],
): unknown {
  let payload = sample;
  for (const [path, value] of changes) {
    if (leadsSomewhere(payload, path)) payload = replaceAt(payload, path, value);
  }
  return payload;
}

function leadsSomewhere(json: unknown, path: readonly string[]): boolean {
  let value = json;
  for (const key of path) {
    const isPlain = Array.isArray(value) ||
      (typeof value === "object" && value !== null && "constructor" in value &&
        value.constructor === Object);
    if (!isPlain || !Object.hasOwn(value as object, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return true;
}

Deno.test("a hundred thousand statuses in one payload are read", () => {
  const statuses = Array.from(
    { length: 100_000 },
    (_, index) => ({ id: `${index}`, status: "read" }),
  );
  const cloud = readProviderEvents("whatsapp_cloud", cloudChange({ statuses }));
  assertEquals(cloud.length, 100_000);
  const ids = statuses.map(({ id }) => id);
  const zapi = { type: "MessageStatusCallback", status: "READ", ids };
  assertEquals(readProviderEvents("zapi", zapi).length, 100_000);
});
