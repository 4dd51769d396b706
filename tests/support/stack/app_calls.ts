/** Calls an app as its clients do, and holds every answer to the contract of its operation. */

import type { Hono } from "hono";
import type { Operation } from "../../../shared/openapi/operation.ts";
import { listRefusals } from "../../../supabase/tools/openapi/error_responses.ts";
import { assert, assertEquals } from "../assert.ts";

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

/**
 * Makes one request of an app, as `app.request` does. The path begins with the function's name.
 *
 * @throws AssertionError where the answer is not what the contract of the operation says: a member that
 * is missing, wrong or not described, or an error that the operation does not name.
 */
export async function callApp(app: Hono, path: string, init?: RequestInit): Promise<Response> {
  const response = await app.request(path, init);
  if (!response.headers.get("Content-Type")?.startsWith("application/json")) return response;
  const text = await response.text();
  const { pathname } = new URL(path, "http://localhost");
  const [slug = "", ...rest] = pathname.split("/").filter((part) => part !== "");
  const operation = (await readOperations(slug)).find(({ method, path }) =>
    method === (init?.method ?? "GET") && matchesPath(path, rest)
  );
  if (operation !== undefined) checkAnswer(operation, response.status, JSON.parse(text));
  return new Response(text, response);
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

function checkRefusal(operation: Operation, answer: unknown): void {
  const { error } = answer as { readonly error?: unknown };
  const known = [...anywhere, ...listRefusals(operation)];
  assert(
    known.includes(error),
    `${operation.operationId} answers ${error}, which it does not name`,
  );
}
