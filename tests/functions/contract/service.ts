/** The whole service over the demo workspace, called by the paths that the specification gives. */

import type { Sql } from "postgres";
import { assertEquals } from "../../support/assert.ts";
import { createOperator } from "../../support/fixtures/tenant.ts";
import {
  demoAgentId,
  demoInstanceId,
  demoInstanceRef,
  demoWorkspaceId,
} from "../../../shared/openapi/demo_fixtures.ts";
import { type ContractStack, startContractStack } from "./contract_stack.ts";
import { createDemoRows } from "./demo_rows.ts";

export type Members = Readonly<Record<string, unknown>>;

export interface ServiceAnswer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the service answers
  readonly body: any;
}

export interface Service extends AsyncDisposable {
  readonly contract: ContractStack;
  /** The superuser's pool. */
  readonly sql: Sql;
  /** The demo instance's. */
  readonly token: string;
  /** Calls with the demo instance's token; the path is the specification's. */
  call(
    method: "GET" | "POST" | "DELETE",
    path: string,
    members: Members,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ServiceAnswer>;
  /** A POST that must succeed. */
  post(
    path: string,
    members: Members,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ServiceAnswer["body"]>;
}

/** A phone that the demo workspace does not know. */
export const newPhone = "5511977776666";
export const demoTarget = { instanceId: demoInstanceRef, phone: newPhone };
export { demoAgentId, demoInstanceId };

/** Starts the service; disposing ends everything. */
export async function startService(): Promise<Service> {
  const contract = await startContractStack();
  const { admin, provider } = contract.stack;
  const token = await createDemoRows(admin, provider.baseUrl);
  const call: Service["call"] = async (method, path, members, further = {}) => {
    const below = path.replace("/functions/v1", "");
    const slug = below.split("/")[1] ?? "";
    const headers = { "X-Client-Token": token, "Content-Type": "application/json", ...further };
    const response = method !== "POST"
      ? await contract.request(slug, `${below}?${toQuery(members)}`, { method, headers })
      : await contract.request(slug, below, {
        method,
        headers,
        body: JSON.stringify(members),
      });
    return { status: response.status, body: await response.json() };
  };
  return {
    contract,
    sql: admin,
    token,
    call,
    post: async (path, members, headers) => {
      const { status, body } = await call("POST", path, members, headers);
      assertEquals([status, body.success], [200, true], `${path} ${JSON.stringify(body)}`);
      return body;
    },
    [Symbol.asyncDispose]: () => contract[Symbol.asyncDispose](),
  };
}

/** One more operator of the demo workspace. */
export function createDemoOperator(sql: Sql, email: string): Promise<string> {
  return createOperator(sql, demoWorkspaceId, { name: email.split("@")[0] ?? "", email });
}

function toQuery(members: Members): URLSearchParams {
  return new URLSearchParams(
    Object.entries(members).map(([name, value]) => [name, String(value)]),
  );
}
