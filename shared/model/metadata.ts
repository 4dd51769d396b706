import * as z from "zod";
import { hasAtMost, isLongerThan, isPlainObject } from "./bounded_fields.ts";

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
    if (!hasAtMost(maxKeys, metadata)) {
      addIssue({ code: "custom", message: `must be at most ${maxKeys} fields` });
      return;
    }
    for (const [key, value] of Object.entries<unknown>(metadata)) {
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

function findKeyFault(key: string): string | null {
  if (key === "") return "must have a name";
  return isLongerThan(maxKeyLength, key)
    ? `must have a name of at most ${maxKeyLength} characters`
    : null;
}

function findValueFault(value: unknown): string | null {
  if (typeof value !== "string") return "must be text";
  return isLongerThan(maxValueLength, value)
    ? `must be at most ${maxValueLength} characters`
    : null;
}
