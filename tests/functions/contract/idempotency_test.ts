import { assert, assertEquals } from "../../support/assert.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import {
  authorize,
  type ContractStack,
  listOperationRows,
  type OperationRow,
  startContractStack,
  toExampleRequest,
} from "./contract_stack.ts";
import { createDemoRows } from "./demo_rows.ts";

/** More than the pool's 20 connections, so that calls race in the database and others wait for a turn. */
const callsAtOnce = 30;
const rows = (await listOperationRows()).filter(({ operation }) => operation.isIdempotent);

interface Heard {
  readonly status: number;
  readonly isReplay: boolean;
  // deno-lint-ignore no-explicit-any -- any operation's answer
  readonly body: any;
}

Deno.test(`every operation that takes an Idempotency-Key is executed once by ${callsAtOnce} equal calls at once`, async () => {
  await using contract = await startContractStack({ providerTimeoutMs: 30_000 });
  const { stack } = contract;
  stack.provider.answer = (request) =>
    request.path.endsWith("/message_templates")
      ? Response.json({ data: [], paging: {} })
      : acceptMessage(request);
  const token = await createDemoRows(stack.admin, stack.provider.baseUrl);
  for (const row of rows) {
    const call = (): Promise<Heard> => callExample(contract, row, token);
    const heard = await Promise.all(Array.from({ length: callsAtOnce }, call));
    const success = row.operation.success.status ?? 200;
    const executed = heard.filter(({ status, isReplay }) => status === success && !isReplay);
    assertEquals(executed.length, 1, `${row.name}: ${JSON.stringify(heard[0])}`);
    for (const { status, body } of heard) {
      if (status === success) assertEquals(body, executed[0]?.body, row.name);
      else assertEquals([status, body.error], [409, "idempotency_key_in_progress"], row.name);
    }
    const later = await call();
    assertEquals([later.isReplay, later.body], [true, executed[0]?.body], row.name);
  }
  assert(rows.length > 0);
});

async function callExample(
  contract: ContractStack,
  row: OperationRow,
  token: string,
): Promise<Heard> {
  const headers = { ...authorize(row.operation, token), "Idempotency-Key": row.name };
  const { path, init } = toExampleRequest(row, row.operation.examples[0], headers);
  const response = await contract.request(row.slug, path, init);
  return {
    status: response.status,
    isReplay: response.headers.get("idempotent-replayed") === "true",
    body: await response.json(),
  };
}
