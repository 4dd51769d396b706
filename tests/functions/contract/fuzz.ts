/** Requests that nobody in good faith would send, and what every answer to them must hold to. */

import { assert, assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import { createSeededRandom, type SeededRandom } from "../../support/seeded_random.ts";
import {
  authorize,
  type ContractStack,
  listOperationRows,
  type OperationRow,
  startContractStack,
  toExampleRequest,
} from "./contract_stack.ts";
import { createDemoRows } from "./demo_rows.ts";

export interface FuzzOptions {
  readonly requests: number;
  /** Repeats a run's choices. */
  readonly seed: number;
}

/** How many requests had which kind of answer. */
export interface FuzzFigures extends Readonly<Record<string, number | string>> {
  readonly seed: number;
  readonly requests: number;
  readonly served: number;
  readonly refused: number;
  /** What the runtime's own Request does not take. */
  readonly unsendable: number;
}

type Json = unknown;

const deep = "[".repeat(10_000) + "]".repeat(10_000);

/** Values for any place; a function gives raw JSON text, which no value of JavaScript has. */
const hostileValues: readonly (Json | { readonly raw: string })[] = [
  ...[null, true, false, 0, -0, -1, 0.5, 2 ** 53, -(2 ** 63), 1e308, "", " ", "0", "null", "NaN"],
  ...[[], {}, [[]], [null], [{}], { a: {} }, [[[[[[[[1]]]]]]]]],
  ...["\u0000", "a\u0000b", "\ud800", "\udc00x", "\u202e", "\ufeff", "🧑‍🚀".repeat(50)],
  ...["a".repeat(70_000), "'; drop table messages; --", "${7*7}", "{{nome}}", "<script>", "\r\n"],
  ...["../../etc/passwd", "%00", "0x7f000001", "1e400", "٣٤٥", "５５１１", "+5511988887777"],
  ...[
    "http://127.0.0.1/a.png",
    "https://[::ffff:169.254.169.254]/a.png",
    "https://u:p@h.com/a.jpg",
  ],
  ...["2026-02-30", "0000-00-00", "9999-12-31T23:59:60Z", "-infinity", "epoch", "today"],
  { __proto__: null, constructor: { prototype: { polluted: 1 } } },
  { raw: '{"__proto__":{"polluted":true},"constructor":1}' },
  { raw: "1e400" },
  { raw: "-1e400" },
  { raw: "123456789012345678901234567890" },
  { raw: '"\\ud800"' },
  { raw: deep },
  { raw: '{"a":1,"a":2}' },
];

/** Whole bodies that are hardly JSON. */
const hostileBodies: readonly string[] = [
  ...["", "null", "[]", "1", '"text"', "{", "}", '{"a":', "NaN", "undefined", "\u0000", deep],
  ...['{"instanceId":"demo","instanceId":"demo","phone":"1","phone":2}', "{}".repeat(2)],
  `{"a":${deep}}`,
  "﻿{}",
  `{"message":"${"x".repeat(300_000)}"}`,
];

const hostileHeaders: readonly Readonly<Record<string, string>>[] = [
  { "Idempotency-Key": "" },
  { "Idempotency-Key": "x".repeat(300) },
  { "Idempotency-Key": '"unclosed' },
  { "Idempotency-Key": "k\u00e9y" },
  { "X-Request-Id": "a".repeat(5_000) },
  { "X-Request-Id": "<script>" },
  { "Content-Type": "text/plain" },
  { "Content-Type": "application/json; charset=utf-7" },
  { "Content-Type": "multipart/form-data" },
  { "X-Client-Token": "mia_".padEnd(9_000, "x") },
  { "X-Client-Token": "é" },
  { apikey: "sb_secret_" },
  { "X-Hub-Signature-256": "sha256=zz" },
  { "Content-Encoding": "gzip" },
  { Origin: "null" },
];

/**
 * Sends that many requests over all operations in turn.
 *
 * @throws {AssertionError} naming the seed and the request that broke something.
 */
export async function fuzzEveryOperation({ requests, seed }: FuzzOptions): Promise<FuzzFigures> {
  await using contract = await startContractStack({ providerTimeoutMs: 30_000 });
  const token = await createDemoRows(contract.stack.admin, contract.stack.provider.baseUrl);
  await contract.stack.admin`update messaging.instances set requests_per_minute = null`;
  const rows = (await listOperationRows()).filter(({ slug }) => slug !== "dispatch-queue");
  const random = createSeededRandom(seed);
  let refused = 0;
  let unsendable = 0;
  for (let index = 0; index < requests; index++) {
    const row = pick(random, rows);
    const request = makeHostile(random, row, authorize(row.operation, token));
    // What an earlier request has queued may be leaving still.
    await contract.stack.finishBackground();
    const before = await countRows(contract);
    const response = await send(contract, row, request);
    if (response === null) {
      unsendable += 1;
      continue;
    }
    const where = `seed ${seed}, request ${index}: ${row.name} ${describe(request)}`;
    await holdAnswer(response, where);
    if (response.ok) continue;
    refused += 1;
    await contract.stack.finishBackground();
    // What a provider refused is a message, and stored as one.
    if (response.status < 500) assertEquals(await countRows(contract), before, where);
  }
  const polluted: unknown = Reflect.get({}, "polluted");
  assertEquals(polluted, undefined, `seed ${seed}: a prototype was changed`);
  const served = requests - refused - unsendable;
  return { seed, requests, served, refused, unsendable };
}

interface HostileRequest {
  readonly path: string;
  readonly init: RequestInit;
}

function makeHostile(
  random: SeededRandom,
  row: OperationRow,
  headers: Readonly<Record<string, string>>,
): HostileRequest {
  const { path, init } = toExampleRequest(row, pick(random, row.operation.examples), headers);
  const choice = random.between(0, 10);
  if (typeof init.body === "string" && choice < 6) {
    return { path, init: { ...init, body: spoilBody(random, init.body) } };
  }
  if (typeof init.body === "string" && choice < 7) {
    return { path, init: { ...init, body: pick(random, hostileBodies) } };
  }
  if (choice < 8) {
    const spoilt = { ...init.headers as Record<string, string>, ...pick(random, hostileHeaders) };
    return { path, init: { ...init, headers: spoilt } };
  }
  return { path: spoilPath(random, path), init };
}

/** One or two members of the body, at any depth, hold something else or are not there. */
function spoilBody(random: SeededRandom, text: string): string {
  const body: Json = JSON.parse(text);
  const raws: string[] = [];
  const rounds = random.between(0, 1) < 0.7 ? 1 : 2;
  for (let round = 0; round < rounds; round++) {
    const place = pick(random, [...listPlaces(body)]);
    if (place === undefined) break;
    const { holder, key } = place;
    if (random.between(0, 1) < 0.15) {
      delete holder[key];
      continue;
    }
    const value = pick(random, hostileValues);
    const raw = readRaw(value);
    // Raw text is put in place of a mark once the rest is text as well.
    // A copy: the second round may spoil what the first one put there, even with itself.
    if (raw === undefined) holder[key] = structuredClone(value);
    else holder[key] = `raw-${raws.push(raw) - 1}`;
  }
  return JSON.stringify(body).replace(/"raw-(\d+)"/g, (_, index) => raws[Number(index)] ?? "null");
}

function readRaw(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "raw")) return undefined;
  return (value as { raw: string }).raw;
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function* listPlaces(value: Json): Generator<Place> {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    yield { holder, key };
    yield* listPlaces(holder[key]);
  }
}

const hostileParts = [
  ...["%00", "%ff", "%ed%a0%80", "..%2f..", "", "%20", "x".repeat(4_000), "1", "null", "%0d%0aX:1"],
  ...["00000000-0000-0000-0000-000000000000", "%27", "%F0%9F%A7%91", "demo%00", "-1", "1e400"],
];

/** A part of the path or a value of the query is something else. */
function spoilPath(random: SeededRandom, path: string): string {
  const [pathname = "", query] = path.split("?");
  const part = pick(random, hostileParts);
  if (query !== undefined && random.between(0, 1) < 0.7) {
    const pairs = query.split("&");
    const index = Math.floor(random.between(0, pairs.length));
    pairs[index] = `${pairs[index]?.split("=")[0]}=${part}`;
    if (random.between(0, 1) < 0.2) pairs.push(pairs[0] ?? "");
    return `${pathname}?${pairs.join("&")}`;
  }
  const parts = pathname.split("/");
  const index = Math.max(2, Math.floor(random.between(1, parts.length + 1)));
  parts[index] = part;
  return parts.join("/") + (query === undefined ? "" : `?${query}`);
}

/** Null for what the runtime's own Request refuses: it never reaches an operation. */
async function send(
  contract: ContractStack,
  { slug }: OperationRow,
  { path, init }: HostileRequest,
): Promise<Response | null> {
  let request: Request;
  try {
    request = new Request(`http://127.0.0.1${path}`, init);
  } catch {
    return null;
  }
  return await contract.request(slug, request.url.slice("http://127.0.0.1".length), init);
}

async function holdAnswer(response: Response, where: string): Promise<void> {
  const text = await response.text();
  assert(response.status !== 500, `${where}: ${text.slice(0, 300)}`);
  assertFalse(/\bat \w+ \(|node_modules|\.ts:\d+/.test(text), `${where}: ${text.slice(0, 300)}`);
  assertMatch(response.headers.get("x-request-id") ?? "", /^[\w\-=]+$/, where);
  if (response.status < 400) return;
  const { success, error, message, jsonrpc } = JSON.parse(text);
  if (jsonrpc !== undefined) {
    // The protocol of mcp has an envelope of its own.
    assertEquals(
      [jsonrpc, typeof error.code, typeof error.message],
      ["2.0", "number", "string"],
      where,
    );
    return;
  }
  assertEquals([success, typeof error, typeof message], [false, "string", "string"], where);
}

async function countRows({ stack }: ContractStack): Promise<string> {
  const [row] = await stack.admin`
    select (select count(*) from messaging.messages)::text || ' ' ||
      (select count(*) from messaging.contacts) || ' ' ||
      (select count(*) from messaging.conversations) || ' ' ||
      (select count(*) from messaging.message_queue) || ' ' ||
      (select count(*) from messaging.outbox) || ' ' ||
      (select count(*) from messaging.instances) || ' ' ||
      (select count(*) from messaging.client_tokens) || ' ' ||
      (select count(*) from messaging.internal_notes) || ' ' ||
      (select count(*) from messaging.provider_events) || ' ' ||
      (select count(*) from messaging.idempotency_keys) as counts`;
  return row?.["counts"];
}

function describe({ path, init }: HostileRequest): string {
  const body = typeof init.body === "string" ? init.body.slice(0, 400) : "";
  return `${path.slice(0, 300)} ${JSON.stringify(init.headers).slice(0, 200)} ${body}`;
}

function pick<Item>(random: SeededRandom, items: readonly Item[]): Item {
  return items[Math.floor(random.between(0, items.length))] as Item;
}
