/** Payment requests that stand where no schema of a body reads them: among the variables of a template, or filled. */
import * as z from "zod";
import type { Issue } from "./errors.ts";
import { describeIssue, joinIssues, listIssues } from "./issue_messages.ts";
import { prepareInput } from "./request_input.ts";
import {
  findPaymentFaults,
  type PaymentRequest,
  paymentRequestSchema,
} from "./requested_payment.ts";

/** A request, or what is wrong with it. Paths begin with `payment`. */
export type PaymentReading =
  | { readonly payment: PaymentRequest; readonly issues: readonly [] }
  | { readonly payment: null; readonly issues: readonly Issue[] };

const holderSchema = z.object({ payment: paymentRequestSchema });

/** Reads a payment request as that of a body: prepared, then by the form of its fields, then by the rules between them. */
export function readPayment(given: unknown): PaymentReading {
  const { value, issues: tooLong } = prepareInput(holderSchema, { payment: given });
  const parsed = holderSchema.safeParse(value, { error: describeIssue });
  if (!parsed.success) return { payment: null, issues: joinIssues(tooLong, listIssues(parsed)) };
  const { payment } = parsed.data;
  const issues = findPaymentFaults(payment);
  return issues.length > 0 ? { payment: null, issues } : { payment, issues: [] };
}

/** The paths of the members that a payment request does not have, as a body's are named in `ignoredFields`. */
export function listIgnoredOfPayment(given: unknown): readonly string[] {
  return prepareInput(holderSchema, { payment: given }).ignoredFields;
}
