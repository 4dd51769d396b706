import type * as z from "zod";
import type { Operation, SuccessResponse } from "../../shared/openapi/operation.ts";
import type { ErrorCode } from "../../shared/model/errors.ts";
import { pageAnswer, recordAnswer } from "./record_schemas.ts";

/** What the document says of one kind of record: its name, what it holds, what its methods take. */
export interface RecordDescription {
  readonly path: string;
  /** `Operator`: part of the operation ids. */
  readonly name: string;
  /** `an operator`, `operators`: part of the sentences. */
  readonly singular: string;
  readonly plural: string;
  readonly idName: string;
  readonly notFound: ErrorCode;
  readonly fields: z.ZodRawShape;
  readonly example: Readonly<Record<string, unknown>>;
  readonly notes?: Operation["fields"];
  readonly list: { readonly query: z.ZodObject; readonly errors: readonly ErrorCode[] };
  readonly create: WriteMethod;
  readonly update?: WriteMethod;
}

interface WriteMethod {
  readonly description: string;
  readonly body: z.ZodObject;
  readonly documentedBody?: z.ZodType;
  readonly errors: readonly ErrorCode[];
  /** A request that works in the demo workspace, and what differs from the record's example. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly changed?: Readonly<Record<string, unknown>>;
}

const manners = { tag: "Administration", access: "secretKey" } as const;

/** Creating, listing, reading and, where it can be, changing a kind of record. */
export function toOperations(kind: RecordDescription): Operation[] {
  return [
    describeCreate(kind),
    describeList(kind),
    describeGet(kind),
    ...(kind.update === undefined ? [] : [describeUpdate(kind, kind.update)]),
  ];
}

function describeCreate(
  { path, name, singular, fields, example, notes, create }: RecordDescription,
): Operation {
  return {
    ...manners,
    method: "POST",
    path,
    operationId: `create${name}`,
    summary: `Create ${singular}`,
    description: create.description,
    body: create.body,
    documentedBody: create.documentedBody,
    isIdempotent: true,
    success: { ...answerOf({ name, fields }), status: 201, description: "The new record." },
    errors: ["service_unavailable", ...create.errors],
    fields: notes,
    examples: [{
      name: "created",
      summary: `Create ${singular}`,
      request: create.request,
      response: { success: true, ...example, ...create.changed },
    }],
  };
}

function describeList(
  { path, name, plural, fields, example, notes, list }: RecordDescription,
): Operation {
  return {
    ...manners,
    method: "GET",
    path,
    operationId: `list${name}s`,
    summary: `List ${plural}`,
    description: `Pages of ${plural}, oldest first.`,
    query: list.query,
    success: { description: "A page.", schema: pageAnswer(fields) },
    errors: ["service_unavailable", ...list.errors],
    fields: prefixFields("items.", notes),
    examples: [{
      name: "page",
      summary: "The first page, which is the last",
      request: { limit: 50 },
      response: { success: true, items: [example], nextCursor: null },
    }],
  };
}

function describeGet(kind: RecordDescription): Operation {
  return {
    ...manners,
    method: "GET",
    path: `${kind.path}/:id`,
    operationId: `get${kind.name}`,
    summary: `Read ${kind.singular}`,
    description: `One record by its \`${kind.idName}\`.`,
    pathParameters: idParameter(kind),
    success: { ...answerOf(kind), description: "The record." },
    errors: ["service_unavailable", kind.notFound],
    fields: kind.notes,
    examples: [{
      name: "record",
      summary: "A record",
      response: { success: true, ...kind.example },
    }],
  };
}

function describeUpdate(kind: RecordDescription, update: WriteMethod): Operation {
  return {
    ...manners,
    method: "PATCH",
    path: `${kind.path}/:id`,
    operationId: `update${kind.name}`,
    summary: `Change ${kind.singular}`,
    description: update.description,
    pathParameters: idParameter(kind),
    body: update.body,
    documentedBody: update.documentedBody,
    success: { ...answerOf(kind), description: "The record as it is now." },
    errors: ["service_unavailable", kind.notFound, ...update.errors],
    fields: kind.notes,
    examples: [{
      name: "changed",
      summary: "One change",
      request: update.request,
      response: { success: true, ...kind.example, ...update.changed },
    }],
  };
}

function answerOf(
  { name, fields }: Pick<RecordDescription, "name" | "fields">,
): Pick<SuccessResponse, "schema" | "schemaName"> {
  return { schema: recordAnswer(fields), schemaName: `${name}Record` };
}

function idParameter({ idName, example }: RecordDescription): Operation["pathParameters"] {
  return { id: { description: `\`${idName}\` of the record.`, example: String(example[idName]) } };
}

function prefixFields(prefix: string, notes: Operation["fields"] = {}): Operation["fields"] {
  return Object.fromEntries(Object.entries(notes).map(([path, note]) => [prefix + path, note]));
}
