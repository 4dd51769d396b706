/** Every function over one database, called operation by operation as the document describes it. */

import { officialTokens } from "./demo_rows.ts";
import { callApp } from "../../support/stack/app_calls.ts";
import type { Operation, OperationExample } from "../../../shared/openapi/operation.ts";
import { demoConnectionToken, demoMediaId } from "../../../shared/openapi/demo_fixtures.ts";
import { hashClientToken } from "../../../shared/crypto/client_token.ts";
import { testVault } from "../../support/fixtures/tenant.ts";
import { readOperations } from "../../../supabase/tools/openapi/read_operations.ts";
import {
  type MessagingStack,
  secretKey,
  type StackOptions,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { moveInstants } from "../../support/example_instants.ts";
import { createEveryApp } from "./every_app.ts";

/** An operation and the function that it belongs to. */
export interface OperationRow {
  readonly slug: string;
  readonly operation: Operation;
  /** `POST /send-message`: what a failing assertion names. */
  readonly name: string;
}

export interface ContractStack extends AsyncDisposable {
  readonly stack: MessagingStack;
  request(slug: string, path: string, init?: RequestInit): Promise<Response>;
}

/** Starts the stack; disposing ends everything. */
export async function startContractStack(options?: StackOptions): Promise<ContractStack> {
  const stack = await startMessagingStack(options);
  const apps = await createEveryApp(stack.services);
  return {
    stack,
    request: (slug, path, init) => callApp(apps.get(slug), path, init),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

/**
 * Every operation of every function: a new one is covered by being described. Their examples are as if
 * they were of today.
 */
export async function listOperationRows(): Promise<OperationRow[]> {
  return [...await readOperations()].flatMap(([slug, operations]) =>
    operations.map((described) => {
      const operation = { ...described, examples: moveInstants(described.examples) };
      return { slug, operation, name: `${operation.method} ${toExamplePath(slug, operation)}` };
    })
  );
}

/** The operation's path with the examples of its parameters in place. */
export function toExamplePath(slug: string, { path, pathParameters = {} }: Operation): string {
  const below = path.replace(/\/:\w+\?$/, "").replaceAll(
    /:(\w+)/g,
    (_, name) => encodeURIComponent(pathParameters[name]?.example ?? ""),
  );
  return `/${slug}${below === "/" ? "" : below}`;
}

/** Operations that a gateway has not: they are called at the official demo instance. */
const ofOfficialChannel: ReadonlySet<string> = new Set(["controlConversation"]);

/** The header that opens the operation. */
export function authorize(operation: Operation, clientToken: string): Record<string, string> {
  switch (operation.access) {
    case "clientToken":
      return {
        "X-Client-Token": ofOfficialChannel.has(operation.operationId)
          ? officialTokens.get(clientToken) ?? clientToken
          : clientToken,
      };
    case "secretKey":
      return { apikey: secretKey };
    case "public":
      return {};
  }
}

/** The path of an example; of a signed link, with a signature that holds for this stack's key. */
export function signExample(
  { stack }: ContractStack,
  { operation }: OperationRow,
  path: string,
): string {
  if (operation.operationId !== "followMediaLink") return path;
  const { pathname, search } = new URL(stack.services.links.create(demoMediaId));
  return pathname.replace("/functions/v1", "") + search;
}

/** An example as a request: its members are the body, or else the query. */
export function toExampleRequest(
  { slug, operation }: OperationRow,
  example: OperationExample | undefined,
  headers: Readonly<Record<string, string>>,
): { readonly path: string; readonly init: RequestInit } {
  const { method } = operation;
  const path = toExamplePath(slug, operation);
  const members = example?.request;
  if (operation.body !== undefined || operation.foreignBody !== undefined) {
    const json = { "Content-Type": "application/json", ...headers };
    return { path, init: { method, headers: json, body: JSON.stringify(members ?? {}) } };
  }
  const query = new URLSearchParams(
    Object.entries(members ?? {}).map(([name, value]) => [name, String(value)]),
  );
  return { path: query.size === 0 ? path : `${path}?${query}`, init: { method, headers } };
}

/** What an open page of a link shows, sealed under this stack's key when the link's row was made. */
export async function openPage(
  { slug }: OperationRow,
  example: OperationExample | undefined,
): Promise<OperationExample | undefined> {
  if (slug !== "connect" || example?.request?.["page"] === undefined) return example;
  const openedAt = new Date(Date.now() - 60_000).toISOString();
  const page = await testVault.seal(openedAt, await hashClientToken(demoConnectionToken));
  return { ...example, request: { ...example.request, page } };
}
