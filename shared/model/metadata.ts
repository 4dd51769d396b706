import * as z from "zod";

/** Keys and texts that a caller gives with a message and gets back with it. */
export type Metadata = Readonly<Record<string, string>>;

const maxKeys = 16;
const maxKeyLength = 40;
const maxValueLength = 200;

/**
 * The `metadata` of a sending call. Lengths are in characters, as JSON Schema counts them. Checked by
 * hand, because a record of Zod would drop the key `__proto__` without a word.
 */
export const metadataSchema = z.custom<Metadata>(isPlainObject, "must be an object")
  .superRefine((metadata, { addIssue }) => {
    const entries = Object.entries<unknown>(metadata);
    if (entries.length > maxKeys) {
      addIssue({ code: "custom", message: `must be at most ${maxKeys} fields` });
      return;
    }
    for (const [key, value] of entries) {
      const fault = findKeyFault(key) ?? findValueFault(value);
      if (fault !== null) addIssue({ code: "custom", path: [key], message: fault });
    }
  })
  .meta({
    type: "object",
    maxProperties: maxKeys,
    propertyNames: { type: "string", minLength: 1, maxLength: maxKeyLength },
    additionalProperties: { type: "string", maxLength: maxValueLength },
  });

/** The `metadata` of a response. */
export const storedMetadataSchema = z.record(z.string(), z.string());

function isPlainObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function findKeyFault(key: string): string | null {
  if (key === "") return "must have a name";
  return countCharacters(key) > maxKeyLength
    ? `must have a name of at most ${maxKeyLength} characters`
    : null;
}

function findValueFault(value: unknown): string | null {
  if (typeof value !== "string") return "must be text";
  return countCharacters(value) > maxValueLength
    ? `must be at most ${maxValueLength} characters`
    : null;
}

function countCharacters(text: string): number {
  return [...text].length;
}
