import * as z from "zod";
import { instantSchema } from "../../../shared/model/request_fields.ts";
import type { RecordAnswer } from "./resource.ts";
import { instantSchema as answeredInstantSchema } from "../../../shared/model/response_fields.ts";

/** POST admin-api/instances/:id/tokens. */
export const createTokenSchema = z.object({
  label: z.string().trim().min(1).max(200).nullish(),
  /** Without it the token lives until it is revoked. */
  expiresAt: instantSchema
    .refine((instant) => Date.parse(instant) > Date.now(), "must be in the future")
    .nullish(),
});

export type CreateTokenRequest = z.infer<typeof createTokenSchema>;

/** A token as responses hold it, without its secret. */
export const tokenRecord = {
  tokenId: z.uuid(),
  instanceId: z.uuid(),
  label: z.string().nullable(),
  expiresAt: answeredInstantSchema.nullable(),
  lastUsedAt: answeredInstantSchema.nullable(),
  revokedAt: answeredInstantSchema.nullable(),
  createdAt: answeredInstantSchema,
};

/** POST admin-api/instances/:id/tokens answers the token itself, this once. */
export const issuedTokenRecord = { ...tokenRecord, token: z.string() };

export type IssueTokenResponse = RecordAnswer<typeof issuedTokenRecord>;
