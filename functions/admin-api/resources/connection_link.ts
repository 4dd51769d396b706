import * as z from "zod";
import { instantSchema } from "../../../shared/model/instant.ts";
import { connectionLanguages } from "../../../shared/model/connection.ts";
import { recordAnswer } from "./answers.ts";

/** POST admin-api/instances/:id/connection-link. */
export const createConnectionLinkSchema = z.object({
  expiresInMinutes: z.int().min(5).max(1_440).default(60),
  /** Without it the page has the browser's language. */
  language: z.enum(connectionLanguages).nullish(),
});

export type CreateConnectionLinkRequest = z.infer<typeof createConnectionLinkSchema>;

const linkRecord = { linkId: z.uuid(), expiresAt: instantSchema };

/** No other response contains the address. */
export const createdLinkResponseSchema = recordAnswer({ ...linkRecord, url: z.string() });

/** DELETE admin-api/instances/:id/connection-link/:linkId. */
export const connectionLinkResponseSchema = recordAnswer({
  ...linkRecord,
  usedAt: instantSchema.nullable(),
  revokedAt: instantSchema.nullable(),
});
