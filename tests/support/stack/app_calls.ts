/**
 * Calls an app as its clients do, and holds every answer to the contract of its operation, and its method,
 * path and status to the committed OpenAPI document. Each answer is checked where it arrives, so nothing is
 * collected over the isolates of a run: the test that sees an unknown status fails.
 */

import type { Hono } from "hono";
import type { Operation } from "../../../shared/openapi/operation.ts";
import { listRefusals } from "../../../supabase/tools/openapi/error_responses.ts";
import { errorDocsUrl } from "../../../shared/runtime/docs_address.ts";
import { toPathTemplate } from "../../../supabase/tools/openapi/document.ts";
import { assert, assertEquals } from "../assert.ts";
import { listInstantFaults } from "./instant_forms.ts";
import { listOrderFaults } from "./member_order.ts";

/** The operations of a function by its name, read once: only its contract and prose are loaded. */
const operations = new Map<string, Promise<readonly Operation[]>>();

function readOperations(slug: string): Promise<readonly Operation[]> {
  let read = operations.get(slug);
  if (read === undefined) {
    const docs = new URL(`../../../functions/${slug}/docs.ts`, import.meta.url);
    read = import(docs.href).then((module) => module.operations);
    operations.set(slug, read);
  }
  return read;
}

// deno-lint-ignore no-explicit-any -- any part of the document
let documented: Promise<any> | undefined;

// deno-lint-ignore no-explicit-any -- any part of the document
function readDocument(): Promise<any> {
  const file = new URL("../../../functions/api-docs/openapi.json", import.meta.url);
  return documented ??= Deno.readTextFile(file).then((text) => JSON.parse(text));
}

/** What the document says of an operation's answers, by their status. */
async function readResponses(slug: string, { method, path }: Operation): Promise<Responses> {
  const { paths } = await readDocument();
  return paths[toPathTemplate(slug, path)]?.[method.toLowerCase()]?.responses ?? {};
}

type Responses = Readonly<Record<string, object>>;

/** Members stand in the order of the committed document, refusals' too (decisions, section 1). */
async function checkOrder(
  slug: string,
  operation: Operation,
  status: number,
  answer: unknown,
): Promise<void> {
  const root = await readDocument();
  const described = (await readResponses(slug, operation))[status] as
    | {
      readonly $ref?: string;
      readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
    }
    | undefined;
  const { content } = described?.$ref === undefined
    ? described ?? {}
    : root.components.responses[described.$ref.split("/").at(-1) ?? ""];
  const schema = content?.["application/json"]?.schema ?? {};
  const faults = listOrderFaults(schema, answer, operation.operationId, root);
  assertEquals(faults, [], "members stand in another order than the document says");
}

/**
 * Makes one request of an app, as `app.request` does. The path begins with the function's name.
 *
 * @throws AssertionError where the answer is not what the contract of the operation says: a member that
 * is missing, wrong or not described, or a status or an error that the operation does not name.
 */
export async function callApp(
  app: Hono | undefined,
  path: string,
  init?: RequestInit,
): Promise<Response> {
  if (app === undefined) throw new Error(`no app for ${path}: add it to every_app.ts`);
  const response = await app.request(path, init);
  const { pathname } = new URL(path, "http://localhost");
  const [slug = "", ...rest] = pathname.split("/").filter((part) => part !== "");
  const matching = (await readOperations(slug)).filter(({ path }) => matchesPath(path, rest));
  // A fixed path is no id of another.
  const fixed = matching.filter(({ path }) => !path.includes(":"));
  const operation = (fixed.length > 0 ? fixed : matching)
    .find(({ method }) => method === (init?.method ?? "GET"));
  if (operation !== undefined) await checkStatus(slug, operation, response.status);
  if (!response.headers.get("Content-Type")?.startsWith("application/json")) return response;
  const text = await response.text();
  if (operation !== undefined) {
    checkAnswer(operation, response.status, JSON.parse(text));
    await checkOrder(slug, operation, response.status, JSON.parse(text));
    assertEquals(
      listInstantFaults(JSON.parse(text), slug),
      [],
      `instants of ${operation.operationId}`,
    );
  }
  return new Response(text, response);
}

async function checkStatus(slug: string, operation: Operation, status: number): Promise<void> {
  const statuses = Object.keys(await readResponses(slug, operation));
  assert(
    statuses.includes(`${status}`) || anywhereStatuses.includes(status),
    `${operation.method} ${operation.path} of ${slug} answers ${status}, which the document does not know: ${statuses}`,
  );
}

function matchesPath(pattern: string, parts: readonly string[]): boolean {
  const expected = pattern.split("/").filter((part) => part !== "");
  return expected.length === parts.length &&
    expected.every((part, index) => part.startsWith(":") || part === parts[index]);
}

function checkAnswer(operation: Operation, status: number, answer: unknown): void {
  const { operationId, success, otherSuccess } = operation;
  const told = [success, otherSuccess].find((one) => one && status === (one.status ?? 200));
  // Another party's format may have refusals of its own, which its schema describes.
  if (operation.foreignBody && success.schema?.safeParse(answer).success === true) return;
  if (told === undefined) return checkRefusal(operation, answer);
  if (told.schema === undefined) return;
  const { ignoredFields: _, ...body } = answer as Readonly<Record<string, unknown>>;
  const { data, error } = told.schema.safeParse(body);
  assert(error === undefined, `${operationId} does not answer what its contract says: ${error}`);
  assertEquals(data, body, `${operationId} answers a member that its contract lacks`);
}

/** Refusals before an operation is found, or its body is read. */
const anywhere: readonly unknown[] = ["not_found", "method_not_allowed", "payload_too_large"];

const anywhereStatuses: readonly number[] = [413];

function checkRefusal(operation: Operation, answer: unknown): void {
  const { error, docs } = answer as { readonly error?: unknown; readonly docs?: unknown };
  const known = [...anywhere, ...listRefusals(operation)];
  assert(
    known.includes(error),
    `${operation.operationId} answers ${error}, which it does not name`,
  );
  assertEquals(docs, errorDocsUrl(String(error)), `docs of ${error}`);
}
