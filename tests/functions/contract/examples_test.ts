import Ajv2020 from "ajv/dist/2020.js";
import * as z from "zod";
import type { OperationExample } from "../../../shared/openapi/operation.ts";
import { assertEquals } from "../../support/assert.ts";
import { demoPhone } from "../../../shared/openapi/demo_fixtures.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import {
  authorize,
  listOperationRows,
  openPage,
  type OperationRow,
  signExample,
  startContractStack,
  toExampleRequest,
} from "./contract_stack.ts";
import { signDelivery } from "../../support/providers/sign_delivery.ts";
import { answerSession, createDemoRows, demoPicturePath } from "./demo_rows.ts";
import { listInstantFaults } from "./instant_form.ts";
import { listOrderFaults } from "../../support/stack/member_order.ts";

const ajv = new Ajv2020.default({ strict: false, validateFormats: false });

Deno.test("every example works as it stands, and its answer is what the document says, member for member, in its order and with its instants in one form", async () => {
  await using contract = await startContractStack();
  const { stack } = contract;
  stack.provider.answer = (request) => {
    if (request.path.endsWith("/message_templates")) return listTemplates();
    const session = answerSession(request.path);
    if (session !== undefined) return session;
    return request.path.endsWith("/block_users")
      ? listBlocked(request.method)
      : acceptMessage(request);
  };
  const token = await createDemoRows(stack.admin, stack.provider.baseUrl);
  await stack.storage.put(demoPicturePath, new Blob([new Uint8Array(1_000)]).stream(), {
    contentType: "image/png",
  });
  const faults: string[] = [];
  for (const row of await listOperationRows()) {
    for (const example of listExamples(row)) {
      const headers = {
        ...authorize(row.operation, token),
        ...await signDelivery(row.operation.operationId, example?.request),
      };
      const { path: written, init } = toExampleRequest(row, await openPage(row, example), headers);
      const path = signExample(contract, row, written);
      const response = await contract.request(row.slug, path, init);
      const answer = await readAnswer(response);
      faults.push(
        ...findFaults(row, example, response, answer).map((fault) =>
          `${row.name} (${example?.name}): ${fault}`
        ),
      );
    }
  }
  assertEquals(faults, []);
});

/** An operation whose answer is no example's is called all the same. */
function listExamples({ operation }: OperationRow): readonly (OperationExample | undefined)[] {
  return operation.examples.length === 0 ? [undefined] : operation.examples;
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return isJson ? JSON.parse(text) : text;
}

function findFaults(
  { operation }: OperationRow,
  example: OperationExample | undefined,
  response: Response,
  answer: unknown,
): string[] {
  const { success } = operation;
  if (response.status !== (success.status ?? 200)) {
    return [`answered ${response.status} ${JSON.stringify(answer)}`];
  }
  if (success.status === 302) return [];
  const mediaType = success.mediaType ?? "application/json";
  const type = response.headers.get("content-type")?.split(";")[0];
  const faults = type === mediaType ? [] : [`answered as ${type}`];
  if (success.schema === undefined) return faults;
  const parsed = success.schema.safeParse(answer);
  if (!parsed.success) faults.push(z.prettifyError(parsed.error));
  const described = z.toJSONSchema(success.schema);
  const validate = ajv.compile(described);
  if (!validate(answer)) faults.push(ajv.errorsText(validate.errors));
  const promised = Object.keys(example?.response as object).sort().join();
  const given = Object.keys(answer as object).sort().join();
  if (promised !== given) faults.push(`promised ${promised}; gave ${given}`);
  faults.push(...listInstantFaults(answer).map((fault) => `another form of instant at ${fault}`));
  faults.push(...listOrderFaults(described, answer).map((fault) => `other order at ${fault}`));
  return faults;
}

function listBlocked(method: string): Response {
  const list = method === "POST" ? "added_users" : "removed_users";
  return Response.json({ block_users: { [list]: [{ input: demoPhone, wa_id: demoPhone }] } });
}

function listTemplates(): Response {
  return Response.json({
    data: [{
      id: "1207842345678901",
      name: "pedido_enviado",
      language: "pt_BR",
      status: "APPROVED",
      parameter_format: "NAMED",
      category: "UTILITY",
      components: [{ type: "BODY", text: "Oi {{nome}}, o pedido {{pedido}} saiu." }],
    }],
    paging: {},
  });
}
