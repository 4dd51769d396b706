import * as z from "zod";
import type { AnswerOf } from "../../../shared/model/response_fields.ts";
import type { RecordAnswer } from "./resource.ts";

/** What one call of POST admin-api/credentials/reseal did, as its response holds it. */
export const resealRecord = {
  /** Of the key that this process seals under: after a change of keys others may run beside it. */
  keyId: z.string().regex(/^[0-9a-f]{8}$/),
  resealed: z.int().min(0),
  /** They lie under a former key still. */
  remaining: z.int().min(0),
  /** No key that there is opens them. */
  unreadable: z.array(z.uuid()),
};

export type ResealReport = AnswerOf<z.ZodObject<typeof resealRecord>>;

export type ResealResponse = RecordAnswer<typeof resealRecord>;
