import * as z from "zod";
import { instantSchema, storableInstantSchema } from "../../../shared/model/instant.ts";
import { tokenScopes } from "../../../shared/model/token_scope.ts";
import { pageAnswer, recordAnswer } from "./answers.ts";

/** POST admin-api/instances/:id/tokens. */
export const createTokenSchema = z.object({
  label: z.string().trim().min(1).max(200).nullish(),
  /** Without it the token is valid until it is revoked. */
  expiresAt: storableInstantSchema
    .refine((instant) => Date.parse(instant) > Date.now(), "must be in the future")
    .nullish(),
  /** Without it the token has every scope. */
  scopes: z.array(z.enum(tokenScopes)).min(1).transform((scopes) =>
    tokenScopes.filter((scope) => scopes.includes(scope))
  ).nullish(),
});

export type CreateTokenRequest = z.infer<typeof createTokenSchema>;

/** A token as responses show it, without its secret. */
const tokenRecord = {
  tokenId: z.uuid(),
  instanceId: z.uuid(),
  label: z.string().nullable(),
  scopes: z.array(z.enum(tokenScopes)),
  expiresAt: instantSchema.nullable(),
  lastUsedAt: instantSchema.nullable(),
  revokedAt: instantSchema.nullable(),
  createdAt: instantSchema,
};

/** POST admin-api/instances/:id/tokens returns the token itself. No other response contains it. */
export const issuedTokenResponseSchema = recordAnswer({ ...tokenRecord, token: z.string() });

export const tokenResponseSchema = recordAnswer(tokenRecord);

export const tokensResponseSchema = pageAnswer(tokenRecord);
