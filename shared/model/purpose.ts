import * as z from "zod";

/** Why a message is sent. A contact that has denied marketing gets no marketing message. */
export const purposes = ["marketing", "utility", "authentication", "service"] as const;

export type Purpose = (typeof purposes)[number];

/** The `purpose` of a sending call: `service` where the call does not say. */
export const purposeSchema = z.enum(purposes).optional();

/**
 * The purpose of a template's message. The template's `category` decides where it has one, because the
 * channel bills and limits by it; only `marketing`, which the contact may deny, is taken from the call
 * all the same.
 */
export function purposeOfTemplate(
  category: string | null,
  asked: Purpose | undefined,
): Purpose | undefined {
  const own = purposes.find((purpose) => purpose === category?.toLowerCase());
  return asked === "marketing" ? asked : own ?? asked;
}
