import * as z from "zod";
import type { AnswerOf } from "../../../shared/model/response_fields.ts";
import { recordAnswer } from "./answers.ts";

/** The result of POST admin-api/credentials/reseal, as its response shows it. */
const resealRecord = {
  /**
   * The id of the key that this process seals under. After a key rotation, processes with different
   * keys may run at the same time.
   */
  keyId: z.string().regex(/^[0-9a-f]{8}$/),
  resealed: z.int().min(0),
  /**
   * Number of instances, webhook endpoints and addresses of questions whose credentials are still sealed
   * under a former key.
   */
  remaining: z.int().min(0),
  /** Ids of the instances, webhook endpoints, and questions with an address, whose credentials no key opens. */
  unreadable: z.array(z.uuid()),
};

export type ResealReport = AnswerOf<z.ZodObject<typeof resealRecord>>;

export const resealResponseSchema = recordAnswer(resealRecord);
