import type * as z from "zod";
import { readMeaning } from "../tools/openapi/described_properties.ts";
import { type JsonObject, toJsonSchema } from "../tools/openapi/json_schema.ts";

/**
 * How to convert an option's text to the field's value. `json` may be a file (`@path`) or `-`
 * (stdin).
 */
export type FieldKind = "text" | "nullable text" | "boolean" | "number" | "json";

/** A field of a request as an option of a command. */
export interface FieldOption {
  /** `--time-zone <text>`. */
  readonly flag: string;
  /** The field's name in the request. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly description: string;
  readonly isRequired: boolean;
}

/** Options that are shorter than their fields' names. */
const ownFlags: Readonly<Record<string, string>> = {
  workspaceId: "--workspace <id>",
  instanceId: "--instance <id>",
  businessInstanceId: "--business-id <id>",
  isActive: "--active <true|false>",
};

/** Fields that the command sets itself, because it reads every page. */
const hiddenFields: ReadonlySet<string> = new Set(["limit", "cursor"]);

/**
 * Derives a request's options from its schema: one per field, with the name in kebab case and the
 * description from the OpenAPI document.
 *
 * @param meanings the resource's descriptions of fields, where they differ from its own.
 */
export function listOptions(
  schema: z.ZodObject,
  meanings: Readonly<Record<string, string>> = {},
): FieldOption[] {
  const { properties = {}, required = [] } = toJsonSchema(schema, "input") as {
    readonly properties?: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).filter(([name]) => !hiddenFields.has(name))
    .map(([name, property]) => {
      const kind = readKind(property);
      return {
        name,
        kind,
        flag: ownFlags[name] ?? `--${toKebabCase(name)} <${describeValue(property, kind)}>`,
        description: describe(readMeaning(name, property, meanings) ?? name, kind, property),
        isRequired: required.includes(name),
      };
    });
}

function readKind(property: JsonObject): FieldKind {
  const types = [property["type"]].flat();
  if (types.includes("boolean")) return "boolean";
  if (types.includes("integer") || types.includes("number")) return "number";
  if (!types.includes("string")) return "json";
  return types.includes("null") ? "nullable text" : "text";
}

function describeValue({ enum: values }: JsonObject, kind: FieldKind): string {
  if (Array.isArray(values)) return values.filter((value) => value !== null).join("|");
  if (kind === "boolean") return "true|false";
  return kind === "nullable text" ? "text" : kind;
}

function describe(meaning: string, kind: FieldKind, { properties }: JsonObject): string {
  const text = meaning.replaceAll("`", "").replace(/\.$/, "");
  if (kind === "json") {
    const members = properties === undefined
      ? ""
      : ` with ${Object.keys(properties as JsonObject).join(", ")}`;
    return `${text}. JSON${members}; @file, or - for standard input`;
  }
  return kind === "nullable text" ? `${text}. "null" clears it` : text;
}

function toKebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
