import * as z from "zod";
import {
  connectionLanguages,
  connectionMethods,
  connectionStates,
} from "../../shared/model/connection.ts";
import { instantSchema } from "../../shared/model/instant.ts";
import { phoneSchema } from "../../shared/model/request_fields.ts";
import { successField } from "../../shared/model/response_fields.ts";

/** What follows `#` in a link. */
const tokenSchema = z.string().max(100);
/** What the opening gave, sealed. */
const pageSchema = z.string().max(1_000);

/** POST connect/open. */
export const openSchema = z.object({ token: tokenSchema });

/** POST connect/state, /qr and /test. */
export const lookSchema = z.object({ token: tokenSchema, page: pageSchema });

/** POST connect/code. */
export const codeSchema = lookSchema.extend({ phone: phoneSchema });

export const openResponseSchema = z.object({
  ...successField,
  name: z.string(),
  language: z.enum(connectionLanguages).nullable(),
  expiresAt: instantSchema,
  page: z.string(),
});

export const stateResponseSchema = z.object({
  ...successField,
  state: z.enum(connectionStates),
  phone: z.string().nullable(),
  isExpectedPhone: z.boolean().nullable(),
  methods: z.array(z.enum(connectionMethods)),
  expiresAt: instantSchema,
});

export const qrResponseSchema = z.object({
  ...successField,
  image: z.string(),
  expiresAt: instantSchema,
});

export const codeResponseSchema = z.object({
  ...successField,
  code: z.string(),
  expiresAt: instantSchema,
});

export const testResponseSchema = z.object({ ...successField });
