/** Calls every endpoint of a running service as its own OpenAPI document shows, and compares the answers. */

import Ajv2020 from "ajv/dist/2020.js";
import { moveInstants } from "../example_instants.ts";
import { signDelivery } from "../providers/sign_delivery.ts";
import { secretKey } from "../stack/function_process.ts";
import type { ServiceAnswer, ServiceProcess, ServiceRequest } from "../stack/service_process.ts";

// deno-lint-ignore no-explicit-any -- the document of a release is read as it is
type Json = any;

/** What the examples are called with. */
export interface DocumentedAccess {
  /** A token of the demo instance. */
  readonly clientToken: string;
}

/** What the calls have shown. */
export interface DocumentedReport {
  readonly calls: number;
  /** One sentence for each answer that is not as documented. */
  readonly faults: readonly string[];
}

const methods = ["get", "post", "put", "patch", "delete"];
const prefix = "/functions/v1/";
/**
 * Operations whose example the demo cannot serve: a file on another host, a link's signature, what an open
 * page has sealed, and what only an official number has.
 */
const unanswerable: Readonly<Record<string, string>> = {
  uploadMedia: "502",
  controlConversation: "400",
  followMediaLink: "403",
  readConnectionOfLink: "410",
  getQrOfLink: "410",
  getCodeOfLink: "410",
  sendTestOfLink: "410",
};

/**
 * Makes each example's call once, in the document's order, with its instants moved to the present. The
 * demo records must be there.
 */
export async function makeDocumentedCalls(
  service: ServiceProcess,
  access: DocumentedAccess,
): Promise<DocumentedReport> {
  const document = moveInstants((await service.call("api-docs/openapi.json")).body);
  const ajv = new Ajv2020.default({ strict: false, validateFormats: false });
  const faults: string[] = [];
  let calls = 0;
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    for (const method of methods.filter((name) => name in item)) {
      const operation = item[method];
      for (const members of listBodies(operation)) {
        const headers = {
          ...authorize(operation, access),
          ...await signDelivery(operation.operationId, members.body),
        };
        const request = { method: method.toUpperCase(), headers, ...members };
        const answer = await service.call(fillPath(path, operation), request);
        const fault = findFault(ajv, document, operation, answer);
        if (fault !== undefined) faults.push(`${method} ${path}: ${fault}`);
        calls += 1;
      }
    }
  }
  return { calls, faults };
}

/** The bodies of the examples; none for an operation without a body. */
function listBodies({ requestBody }: Json): Pick<ServiceRequest, "body">[] {
  if (requestBody === undefined) return [{}];
  const examples = Object.values<Json>(requestBody.content["application/json"].examples ?? {});
  return examples.length === 0 ? [{ body: {} }] : examples.map(({ value }) => ({ body: value }));
}

/** The path with the examples of its parameters, and the query with those of the required ones. */
function fillPath(template: string, { parameters = [] }: Json): string {
  const examples = (place: string): [string, string][] =>
    parameters.filter((parameter: Json) =>
      parameter.in === place && parameter.example !== undefined
    ).map(({ name, example }: Json) => [name, String(example)]);
  const values = new Map(examples("path"));
  const path = template.slice(prefix.length).replaceAll(
    /\{(\w+)\}/g,
    (_, name) => encodeURIComponent(values.get(name) ?? ""),
  );
  const query = new URLSearchParams(examples("query"));
  return query.size === 0 ? path : `${path}?${query}`;
}

function authorize({ security = [] }: Json, access: DocumentedAccess): Record<string, string> {
  const schemes = security.flatMap((each: Json) => Object.keys(each));
  if (schemes.includes("ClientToken")) return { "X-Client-Token": access.clientToken };
  return schemes.includes("SecretKey") ? { apikey: secretKey } : {};
}

function findFault(
  ajv: Ajv2020.default,
  { components }: Json,
  { operationId, responses }: Json,
  { status, body }: ServiceAnswer,
): string | undefined {
  const given = String(status);
  const isDocumented = operationId in unanswerable
    ? given === unanswerable[operationId]
    : /^[23]/.test(given) && given in responses;
  if (!isDocumented) return `answered ${status} ${JSON.stringify(body)}`;
  const schema = responses[given].content?.["application/json"]?.schema;
  if (schema === undefined) return undefined;
  const validate = ajv.compile({ ...schema, components });
  return validate(body) ? undefined : ajv.errorsText(validate.errors);
}
