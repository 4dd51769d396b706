import * as z from "zod";
import { storableInstantSchema } from "../../../shared/model/instant.ts";
import { inOneLine } from "../../../shared/model/request_fields.ts";
import { mcpRecipients, tokenFields } from "../../../shared/model/tenant_records.ts";
import { tokenScopes } from "../../../shared/model/token_scope.ts";
import { pageAnswer, recordAnswer } from "./answers.ts";

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

/** POST admin-api/instances/:id/tokens returns the token itself. No other response contains it. */
export const issuedTokenResponseSchema = recordAnswer({ ...tokenFields, token: z.string() });

export const tokenResponseSchema = recordAnswer(tokenFields);

export const tokensResponseSchema = pageAnswer(tokenFields);
