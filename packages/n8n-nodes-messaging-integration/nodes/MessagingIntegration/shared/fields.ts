import type { INodeProperties } from "n8n-workflow";
import { addOtherFields } from "./request";

/** Where a person is named: in the body of a call, or in its query. */
export type Place = "body" | "query";

/** What a person may be named by. A contact that does not exist yet has no id. */
const names = ["contactId", "phone", "userId"];

/** "Find Contact By" and the field that it asks for. */
export function personFields(
  resource: string,
  operations: string[],
  place: Place = "body",
  by = names,
): INodeProperties[] {
  const show = { resource: [resource], operation: operations };
  const fields: INodeProperties[] = [
    {
      displayName: "Phone",
      name: "phone",
      type: "string",
      default: "",
      placeholder: "5511988887777",
      description: "8 to 15 digits with country code, without + or separators",
    },
    { displayName: "Contact ID", name: "contactId", type: "string", default: "" },
    {
      displayName: "User ID",
      name: "userId",
      type: "string",
      default: "",
      description: "Of a person on the official channel who hides the phone number",
    },
  ];
  const offered = fields.filter(({ name }) => by.includes(name));
  return [
    {
      displayName: "Find Contact By",
      name: "contactBy",
      type: "options",
      noDataExpression: true,
      options: offered.map(({ displayName, name }) => ({ name: displayName, value: name })),
      default: "phone",
      displayOptions: { show },
    },
    ...offered.map((field): INodeProperties => ({
      ...field,
      required: true,
      displayOptions: { show: { ...show, contactBy: [field.name] } },
      routing: { send: { type: place, property: field.name } },
    })),
  ];
}

/** The id in an operation's path. */
export function idField(
  resource: string,
  operations: string[],
  { name, displayName, description }: { name: string; displayName: string; description?: string },
): INodeProperties {
  return {
    displayName,
    name,
    type: "string",
    default: "",
    required: true,
    displayOptions: { show: { resource: [resource], operation: operations } },
    ...(description === undefined ? {} : { description }),
  };
}

/** The part of a path that a parameter gives, as an expression in a `url`. */
export function pathPart(name: string): string {
  return `{{encodeURIComponent($parameter.${name})}}`;
}

/** A text that is sent as it is. */
export function textField(
  name: string,
  displayName: string,
  description?: string,
  place: Place = "body",
): INodeProperties {
  return {
    displayName,
    name,
    type: "string",
    default: "",
    ...(description === undefined ? {} : { description }),
    routing: { send: { type: place, property: name } },
  };
}

/** An instant: sent with the offset of the workflow's time zone where it has none of its own. */
export function instantField(
  name: string,
  displayName: string,
  description: string,
  place: Place = "body",
): INodeProperties {
  return {
    displayName,
    name,
    type: "dateTime",
    default: "",
    description,
    routing: {
      send: {
        type: place,
        property: name,
        // What is no instant is sent as it came: the service refuses it by name.
        value: "={{ DateTime.fromISO(String($value)).toISO() ?? String($value) }}",
      },
    },
  };
}

/** A day: of an instant, the day in the workflow's time zone. */
export function dayField(name: string, displayName: string, description: string): INodeProperties {
  return {
    displayName,
    name,
    type: "dateTime",
    default: "",
    description,
    routing: {
      send: {
        type: "query",
        property: name,
        value:
          '={{ ($value.toFormat ? $value : DateTime.fromISO(String($value))).toFormat("yyyy-MM-dd") }}',
      },
    },
  };
}

/** An object or a list, written as JSON or given by an expression. */
export function jsonField(
  name: string,
  displayName: string,
  description: string,
  example = "{}",
): INodeProperties {
  return {
    displayName,
    name,
    type: "json",
    default: example,
    description,
    routing: {
      send: {
        type: "body",
        property: name,
        value: '={{ typeof $value === "string" ? JSON.parse($value) : $value }}',
      },
    },
  };
}

/** Words separated by commas, sent as a list. */
export function listOfWordsField(
  name: string,
  displayName: string,
  description: string,
): INodeProperties {
  return {
    displayName,
    name,
    type: "string",
    default: "",
    description,
    routing: {
      send: {
        type: "body",
        property: name,
        value:
          '={{ Array.isArray($value) ? $value : String($value).split(",").map(word => word.trim()).filter(word => word !== "") }}',
      },
    },
  };
}

/** Of every POST: the key that the caller chooses. `callKey` reads it. */
export const idempotencyKeyField: INodeProperties = {
  displayName: "Idempotency Key",
  name: "idempotencyKey",
  type: "string",
  default: "",
  placeholder: "order-4711-confirmation",
  description:
    "Calls with the same key are done once. By default each item of an execution has a key, which Retry On Fail keeps. Give one of your data, such as an order's number, so that retrying a whole execution does not send again.",
};

/** What the API takes and this version of the node has no field for. */
export const otherFieldsField: INodeProperties = {
  displayName: "Other Fields (JSON)",
  name: "otherFields",
  type: "json",
  default: "{}",
  description: "Further fields of the call, as the API's reference names them",
  routing: { send: { preSend: [addOtherFields] } },
};

/** "Additional Fields" of some operations. */
export function additionalFields(
  resource: string,
  operations: string[],
  options: INodeProperties[],
): INodeProperties {
  return {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: [resource], operation: operations } },
    options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
  };
}
