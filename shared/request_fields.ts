/** Fields that several requests share, with their bounds and what is said when they are wrong. */
import * as z from "zod";

/** An instance in any of its three forms (decisions, section 1). */
export const instanceIdSchema = z.string().min(1).max(255);

/** Digits with country code (specification, section 1, rule 3). */
export const phoneSchema = z.string().regex(
  /^[0-9]{8,15}$/,
  "must be 8 to 15 digits with country code, without + or separators",
);

/** An operator, by e-mail or UUID. */
export const assignToSchema = z.string().trim().min(1).max(320);
