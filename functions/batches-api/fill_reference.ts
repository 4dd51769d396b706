import type { ContactFacts } from "../../shared/database/rpcs/templates.ts";
import { AppError, type Issue } from "../../shared/model/errors.ts";
import { FillableText } from "../../shared/model/placeholders.ts";
import { paymentReferenceSchema } from "../../shared/model/timing.ts";
import { readValues, type Variables } from "./fill_message.ts";

/** Longest text that is filled: more is no reference, and is refused by its form. */
const maxLength = 100;

/** The payment reference of a batch, which may have variables. */
export interface PreparedReference {
  /** Its placeholders. */
  readonly names: ReadonlySet<string>;
  /** @throws {AppError} `missing_variables` with `missing`, or `invalid_request` where it is no reference. */
  readonly fill: (
    variables: Variables,
    contact: ContactFacts,
  ) => { readonly paymentReference?: string };
}

/** Prepares the reference of a batch's recipients; undefined for a batch that waits for no payment. */
export function prepareReference(reference: string | undefined): PreparedReference {
  if (reference === undefined) return { names: new Set(), fill: () => ({}) };
  const text = new FillableText(reference);
  const fill: PreparedReference["fill"] = (variables, contact) => {
    const issues: Issue[] = [];
    const { values, missing } = readValues(text.names, variables, contact, issues);
    if (missing.length > 0) throw new AppError("missing_variables", { body: { missing } });
    const filled = paymentReferenceSchema.safeParse(text.fill(values, maxLength));
    if (!filled.success) {
      const message = "is no payment reference once it is filled";
      issues.push({ path: "paymentReference", message });
    }
    if (issues.length > 0) throw new AppError("invalid_request", { issues });
    return { paymentReference: filled.data! };
  };
  return { names: text.names, fill };
}
