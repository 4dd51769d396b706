import type * as z from "zod";
import type {
  Operation,
  OperationExample,
  SuccessResponse,
} from "../../../shared/openapi/operation.ts";
import { textsBelow } from "../../../shared/openapi/record_texts.ts";
import type { ErrorCode } from "../../../shared/model/errors.ts";
import { pageAnswer, recordAnswer } from "./answers.ts";
import type { Resource } from "./resource.ts";

/**
 * Descriptions of a resource for the document and the command line: its name, an example, the
 * purpose of its methods. Running functions never import it.
 */
export interface ResourceDocs {
  readonly resource: Resource;
  /** `Operator`: part of the operation ids. */
  readonly name: string;
  /** `an operator`, `operators`: part of the sentences. */
  readonly singular: string;
  readonly plural: string;
  readonly example: Readonly<Record<string, unknown>>;
  /** Meanings of fields that the glossary lacks or defines differently. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly listErrors: readonly ErrorCode[];
  /** What the list has instead of the standard texts. */
  readonly list?: {
    readonly operationId: string;
    readonly description: string;
    readonly example: Omit<OperationExample, "response">;
  };
  /** False where no operation reads one record. Default: true. */
  readonly isReadable?: false;
  readonly create?: WriteDocs;
  readonly update?: WriteDocs;
  readonly commandLine: {
    readonly description: string;
    /** Fields that a table of records shows. */
    readonly columns: readonly string[];
    readonly example: string;
    /** Several calls that belong together, with what they are for. */
    readonly workedExample?: string;
  };
}

interface WriteDocs {
  readonly description: string;
  /** The variants of the body, where one field determines the others. */
  readonly documentedBody?: z.ZodType;
  readonly errors: readonly ErrorCode[];
  /**
   * A request that works in the demo workspace, and the fields of the result that differ from the
   * record's example.
   */
  readonly request: Readonly<Record<string, unknown>>;
  readonly changed?: Readonly<Record<string, unknown>>;
  /** Members that some answers have beside the record's. */
  readonly answer?: z.ZodRawShape;
}

export const changesOnly = "Changes only the fields in the request.";

/** The time of creation of the example records. */
export const exampleInstant = "2026-11-23T13:00:00.000Z";

/** The same meanings for the records of a page. */
export function ofItems(fields: Operation["fields"] = {}): Operation["fields"] {
  return textsBelow("items", fields);
}

/** The operations to create, list, read and, where supported, change a resource. */
export function describeResource(docs: ResourceDocs): Operation[] {
  const { resource: { create, update }, create: createDocs, update: updateDocs } = docs;
  return [
    ...(create && createDocs ? [describeCreate(docs, createDocs, create.schema)] : []),
    describeList(docs),
    ...(docs.isReadable === false ? [] : [describeGet(docs)]),
    ...(update && updateDocs ? [describeUpdate(docs, updateDocs, update.schema)] : []),
  ];
}

/** The properties that all operations of admin-api share. */
export const adminOperation = { tag: "Administration", access: "secretKey" } as const;

function describeCreate(docs: ResourceDocs, create: WriteDocs, body: z.ZodObject): Operation {
  const { resource, name, singular, example, fields } = docs;
  return {
    ...adminOperation,
    method: "POST",
    path: resource.path,
    operationId: `create${name}`,
    summary: `Create ${singular}`,
    description: create.description,
    body,
    documentedBody: create.documentedBody,
    isIdempotent: true,
    success: {
      ...(create.answer === undefined
        ? answerOf(docs)
        : { schema: recordAnswer({ ...resource.record, ...create.answer }) }),
      status: 201,
      description: "The new record.",
    },
    errors: ["service_unavailable", ...create.errors],
    fields,
    examples: [{
      name: "created",
      summary: `Create ${singular}`,
      request: create.request,
      response: { success: true, ...example, ...create.changed },
    }],
  };
}

function describeList(
  { resource, name, plural, example, fields, listErrors, list }: ResourceDocs,
): Operation {
  return {
    ...adminOperation,
    method: "GET",
    path: resource.path,
    operationId: list?.operationId ?? `list${name}s`,
    summary: `List ${plural}`,
    description: list?.description ?? `Pages of ${plural}, oldest first.`,
    query: resource.list.schema,
    success: { description: "A page.", schema: pageAnswer(resource.record) },
    errors: ["service_unavailable", ...listErrors],
    fields: ofItems(fields),
    examples: [{
      name: "page",
      summary: "The first and only page",
      request: { limit: 50 },
      ...list?.example,
      response: { success: true, items: [example], nextCursor: null },
    }],
  };
}

function describeGet(docs: ResourceDocs): Operation {
  const { resource, name, singular, example, fields } = docs;
  return {
    ...adminOperation,
    method: "GET",
    path: `${resource.path}/:id`,
    operationId: `get${name}`,
    summary: `Read ${singular}`,
    description: `One record by its \`${resource.idName}\`.`,
    pathParameters: idParameter(docs),
    success: { ...answerOf(docs), description: "The record." },
    errors: ["service_unavailable", resource.notFound],
    fields,
    examples: [{ name: "record", summary: "A record", response: { success: true, ...example } }],
  };
}

function describeUpdate(docs: ResourceDocs, update: WriteDocs, body: z.ZodObject): Operation {
  const { resource, name, singular, example, fields } = docs;
  return {
    ...adminOperation,
    method: "PATCH",
    path: `${resource.path}/:id`,
    operationId: `update${name}`,
    summary: `Update ${singular}`,
    description: update.description,
    pathParameters: idParameter(docs),
    body,
    documentedBody: update.documentedBody,
    success: { ...answerOf(docs), description: "The changed record." },
    errors: ["service_unavailable", resource.notFound, ...update.errors],
    fields,
    examples: [{
      name: "changed",
      summary: "A change",
      request: update.request,
      response: { success: true, ...example, ...update.changed },
    }],
  };
}

function answerOf(
  { resource, name }: ResourceDocs,
): Pick<SuccessResponse, "schema" | "schemaName"> {
  return { schema: recordAnswer(resource.record), schemaName: `${name}Record` };
}

function idParameter({ resource: { idName }, example }: ResourceDocs): Operation["pathParameters"] {
  return { id: { description: `\`${idName}\` of the record.`, example: String(example[idName]) } };
}
