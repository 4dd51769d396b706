import * as z from "zod";
import {
  connectionMethods,
  connectionStates,
  webhookStates,
} from "../../../shared/model/connection.ts";
import { instantSchema } from "../../../shared/model/instant.ts";
import { phoneSchema } from "../../../shared/model/request_fields.ts";
import { recordAnswer } from "./answers.ts";

/** POST admin-api/instances/:id/connection/code. */
export const pairingCodeSchema = z.object({ phone: phoneSchema });

const webhookFields = { state: z.enum(webhookStates), url: z.string().nullable() };

/** GET admin-api/instances/:id/connection. */
export const connectionResponseSchema = recordAnswer({
  state: z.enum(connectionStates),
  phone: z.string().nullable(),
  since: instantSchema.nullable(),
  methods: z.array(z.enum(connectionMethods)),
  isExpectedPhone: z.boolean().nullable(),
  number: z.object({
    status: z.string().nullable(),
    quality: z.string().nullable(),
    throughput: z.string().nullable(),
    messagingLimit: z.string().nullable(),
    isOnBusinessApp: z.boolean().nullable(),
  }).nullable(),
  webhooks: z.object(webhookFields),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
});

/** POST admin-api/instances/:id/connection/qr. */
export const qrResponseSchema = recordAnswer({
  qr: z.string(),
  image: z.string(),
  expiresAt: instantSchema,
});

/** POST admin-api/instances/:id/connection/code. */
export const pairingCodeResponseSchema = recordAnswer({
  code: z.string(),
  expiresAt: instantSchema,
});

/** POST admin-api/instances/:id/connection/restart and /logout. */
export const connectionChangeResponseSchema = recordAnswer({});

/** POST admin-api/instances/:id/connection/webhooks. */
export const webhooksResponseSchema = recordAnswer(webhookFields);
