import * as z from "zod";
import { instantSchema, storableInstantSchema } from "../../../shared/model/instant.ts";
import { inOneLine } from "../../../shared/model/request_fields.ts";
import { tokenScopes } from "../../../shared/model/token_scope.ts";
import { pageAnswer, recordAnswer } from "./answers.ts";

const mcpRecipients = ["known", "any"] as const;

/** POST admin-api/instances/:id/tokens. */
export const createTokenSchema = z.object({
  label: inOneLine(z.string().trim().min(1).max(200)).nullish(),
  /** Without it the token is valid until it is revoked. */
  expiresAt: storableInstantSchema
    .refine((instant) => Date.parse(instant) > Date.now(), "must be in the future")
    .nullish(),
  /** Without it the token has every scope. */
  scopes: z.array(z.enum(tokenScopes)).min(1).max(100).transform((scopes) =>
    tokenScopes.filter((scope) => scopes.includes(scope))
  ).nullish(),
  /** What the function mcp may send by it. */
  mcp: z.object({
    recipients: z.enum(mcpRecipients).default("known"),
    maxSendsPerHour: z.int().min(0).max(10_000).default(30),
  }).optional(),
});

export type CreateTokenRequest = z.infer<typeof createTokenSchema>;

/** A token as responses show it, without its secret. */
const tokenRecord = {
  tokenId: z.uuid(),
  instanceId: z.uuid(),
  label: z.string().nullable(),
  scopes: z.array(z.enum(tokenScopes)),
  mcp: z.object({
    recipients: z.enum(mcpRecipients),
    maxSendsPerHour: z.int(),
  }),
  expiresAt: instantSchema.nullable(),
  lastUsedAt: instantSchema.nullable(),
  revokedAt: instantSchema.nullable(),
  createdAt: instantSchema,
};

/** POST admin-api/instances/:id/tokens returns the token itself. No other response contains it. */
export const issuedTokenResponseSchema = recordAnswer({ ...tokenRecord, token: z.string() });

export const tokenResponseSchema = recordAnswer(tokenRecord);

export const tokensResponseSchema = pageAnswer(tokenRecord);
