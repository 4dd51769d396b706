/** What answers and events tell of a hold of a whole instance, beside its `heldBy`. */
import * as z from "zod";
import { instantSchema } from "./instant.ts";
import { type HeldBy, instanceHolds } from "./message_status.ts";

/** Null where no hold of the instance is the reason, or where it is not known. */
export const holdFields = {
  holdReason: z.string().nullable(),
  holdCode: z.string().nullable(),
  heldUntil: instantSchema.nullable(),
};

/** Of an answer that has them only while a hold of the instance is the reason. */
export const optionalHoldFields = z.object(holdFields).partial().shape;

/** Which hold keeps an instance; null where none does. */
export const instanceHoldSchema = z.enum(instanceHolds);

export type InstanceHold = (typeof instanceHolds)[number];

/** The hold of an instance, with the end in its time zone; null where it has none. */
export interface ShownHold {
  readonly holdReason: string | null;
  readonly holdCode: string | null;
  readonly heldUntil: string | null;
}

/** What a sending call's answer tells of the hold that keeps its message; nothing where none does. */
export function readHold(
  { heldBy, holdReason = null, holdCode = null, heldUntil = null }:
    & { readonly heldBy: HeldBy | null }
    & Partial<ShownHold>,
): Partial<ShownHold> {
  const isHeld = instanceHolds.some((hold) => hold === heldBy);
  return isHeld ? { holdReason, holdCode, heldUntil } : {};
}
