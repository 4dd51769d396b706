import * as z from "zod";
import {
  deliveryFields,
  endpointFields,
  testOutcomeFields,
} from "../../shared/model/endpoint_record.ts";
import { deliveryStatuses } from "../../shared/model/endpoint_states.ts";
import { describeWrongTypes, type EventType, eventTypes } from "../../shared/model/event_types.ts";
import { storableInstantSchema } from "../../shared/model/instant.ts";
import { pageSchema } from "../../shared/model/page.ts";
import { findUrlProblem } from "../../shared/model/public_url.ts";
import { inOneLine, instanceIdSchema } from "../../shared/model/request_fields.ts";
import { successField } from "../../shared/model/response_fields.ts";

const instanceField = { instanceId: instanceIdSchema.optional() };

/** A request that names nothing but its instance. */
export const instanceOnlySchema = z.object(instanceField);

const eventTypeSchema = z.enum(eventTypes, {
  error: ({ input }) => input === undefined ? undefined : describeWrongTypes([input]),
});

const typesSchema = z.array(eventTypeSchema).min(1).max(100)
  .transform((types): EventType[] => [...new Set(types)]);

/** A receiver's URL. `ALLOW_PRIVATE_HOSTS` decides which ones a process takes: see `checkUrl`. */
const urlSchema = z.string().min(1).max(2048);

const descriptionSchema = inOneLine(z.string().trim().max(200));

/** POST /functions/v1/events-api/endpoints. */
export const createEndpointSchema = z.object({
  ...instanceField,
  url: urlSchema,
  types: typesSchema.optional(),
  description: descriptionSchema.optional(),
});

/** PATCH /functions/v1/events-api/endpoints/:id. */
export const updateEndpointSchema = z.object({
  ...instanceField,
  url: urlSchema.optional(),
  types: typesSchema.optional(),
  description: descriptionSchema.optional(),
  isActive: z.boolean().optional(),
});

/** Checks `url` by the rule for media URLs, or only its form where private hosts are allowed. */
export function createUrlCheck(
  allowsPrivateHosts: boolean,
): (value: Readonly<Record<string, unknown>>) => { path: string; message: string }[] {
  return ({ url }) => {
    if (typeof url !== "string") return [];
    const message = findUrlProblem(url, { field: "url", allowsPrivateHosts });
    return message === null ? [] : [{ path: "url", message }];
  };
}

/** GET /functions/v1/events-api/endpoints. */
export const listEndpointsSchema = pageSchema.extend(instanceField);

/** POST /functions/v1/events-api/endpoints/:id/rotate-secret. */
export const rotateSecretSchema = z.object({
  ...instanceField,
  gracePeriodSeconds: z.number().int().min(0).max(604_800).default(86_400),
});

/** GET /functions/v1/events-api/endpoints/:id/deliveries. */
export const listDeliveriesSchema = listEndpointsSchema.extend({
  status: z.enum(deliveryStatuses).optional(),
});

/** The end of a page of deliveries, as a cursor encodes it. */
export const deliveryPageEndSchema = z.object({ sequence: z.int().min(1) });

/** POST /functions/v1/events-api/endpoints/:id/replay. */
export const replaySchema = z.object({
  ...instanceField,
  since: storableInstantSchema,
  until: storableInstantSchema.optional(),
  types: typesSchema.optional(),
});

export const endpointResponseSchema = z.object({ ...successField, ...endpointFields });
export const endpointSecretResponseSchema = z.object({
  ...successField,
  ...endpointFields,
  secret: z.string(),
});
export const endpointsResponseSchema = z.object({
  ...successField,
  items: z.array(z.object(endpointFields)),
  nextCursor: z.string().nullable(),
});
export const testResponseSchema = z.object({ ...successField, ...testOutcomeFields });
export const deliveryResponseSchema = z.object({ ...successField, ...deliveryFields });
export const deliveriesResponseSchema = z.object({
  ...successField,
  items: z.array(z.object(deliveryFields)),
  nextCursor: z.string().nullable(),
});
export const replayResponseSchema = z.object({ ...successField, count: z.int().min(0) });
