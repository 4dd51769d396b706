import { findIssues } from "../../shared/http/validate.ts";
import { isPlainObject } from "../../shared/model/bounded_fields.ts";
import { type Issue, maxIgnoredFields } from "../../shared/model/errors.ts";
import { cardIdSchema } from "../../shared/model/request_fields.ts";
import { mapInSlices } from "../../shared/runtime/time_slices.ts";
import { checkRecipient, type RecipientRequest, recipientSchema } from "./contract.ts";

/** An entry of a list as it was received, valid or not. */
export type ReadEntry =
  | { readonly recipient: RecipientRequest; readonly issues?: undefined }
  | {
    readonly recipient: null;
    readonly issues: readonly Issue[];
    /** The caller's own identifier, by which it finds the entry; undefined for none. */
    readonly cardId?: string | undefined;
  };

/** The entries of a call, each on its own: a bad one does not hide the others. */
export interface ReadEntries {
  readonly entries: readonly ReadEntry[];
  /** Fields that the schema does not know, by their path in the body. */
  readonly ignoredFields: readonly string[];
}

/** Reads the recipients of an owner's body, as `validateBody` reads a body. */
export async function readEntries(
  owner: string,
  received: readonly unknown[],
): Promise<ReadEntries> {
  const ignoredFields: string[] = [];
  const entries = await mapInSlices(owner, received, (entry, place): ReadEntry => {
    if (!isPlainObject(entry)) {
      const issues = [{ path: "", message: "must be an object" }];
      return { recipient: null, issues };
    }
    const checked = findIssues(recipientSchema, entry, checkRecipient);
    if (ignoredFields.length < maxIgnoredFields) {
      ignoredFields.push(...checked.ignoredFields.map((name) => `recipients.${place}.${name}`));
    }
    const { value, issues } = checked;
    if (value !== null) return { recipient: value };
    return { recipient: null, issues, cardId: cardIdSchema.safeParse(entry["cardId"]).data };
  });
  return { entries, ignoredFields: ignoredFields.slice(0, maxIgnoredFields) };
}
