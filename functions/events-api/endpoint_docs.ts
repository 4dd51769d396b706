import {
  demoDeliveryId,
  demoEndpointId,
  demoFormerEndpointId,
  demoInstanceId,
  demoInstanceRef,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import {
  createEndpointSchema,
  deliveriesResponseSchema,
  deliveryResponseSchema,
  endpointResponseSchema,
  endpointSecretResponseSchema,
  endpointsResponseSchema,
  instanceOnlySchema,
  listDeliveriesSchema,
  listEndpointsSchema,
  replayResponseSchema,
  replaySchema,
  rotateSecretSchema,
  testResponseSchema,
  updateEndpointSchema,
} from "./endpoint_contract.ts";

const endpointOf = (endpointId: string): Operation["pathParameters"] => ({
  id: { description: "`endpointId` of the webhook endpoint.", example: endpointId },
});
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
const unknownEndpoint = ["endpoint_not_found"] as const;

const endpoint = {
  endpointId: demoEndpointId,
  instanceId: demoInstanceId,
  url: "https://hooks.example.com/messages",
  types: ["message.received", "message.delivered"],
  description: "CRM",
  isActive: true,
  disabledReason: null,
  disabledAt: null,
  failingSince: null,
  previousSecretUntil: null,
  createdAt: "2026-11-23T13:00:00.000Z",
  updatedAt: "2026-11-23T13:00:00.000Z",
};

const delivery = {
  deliveryId: demoDeliveryId,
  endpointId: demoEndpointId,
  eventId: "evt_6f1e0c1d2b3a4958877665544332211f",
  type: "message.delivered",
  status: "pending",
  attempts: [{
    at: "2026-11-23T13:00:02.000Z",
    status: 503,
    error: null,
    durationMs: 41,
    answer: "try later",
  }],
  nextAttemptAt: "2026-11-23T13:00:07.000Z",
  createdAt: "2026-11-23T13:00:02.000Z",
};

const endpointFields = {
  endpointId: "Id of the webhook endpoint.",
  url:
    "Where events are sent to: https and a public host, unless the process allows others (`ALLOW_PRIVATE_HOSTS`).",
  types: "Types of events that the endpoint takes; all when omitted, which reads as `null`.",
  description: "A note for people, at most 200 characters; an empty text removes it.",
  isActive: "Whether events are sent to it.",
  disabledReason:
    "Why the service disabled it: `gone` (it answered 410) or `failing` (nothing but failures for 5 days).",
  disabledAt: "Time since which it is not active.",
  failingSince: "First failure since the last success; `null` where the last attempt succeeded.",
  previousSecretUntil: "Until when the former secret signs too, after a rotation.",
  secret:
    "Signs the calls (Standard Webhooks): `whsec_` and base64. Only this response contains it.",
  gracePeriodSeconds: "How long the former secret signs too, in seconds.",
};
const listFields = Object.fromEntries(
  Object.entries(endpointFields).map(([name, meaning]) => [`items.${name}`, meaning]),
);

const deliveryFields = {
  deliveryId: "Id of the delivery: one for an event and an endpoint, however often it is sent.",
  endpointId: "Id of the webhook endpoint.",
  eventId: "Id of the event, `webhook-id` of every attempt.",
  type: "Type of the event.",
  status: "`pending` until a 2xx answer, `failed` after the last attempt.",
  attempts: "The last 20 attempts, oldest first.",
  "attempts.at": "Time of the attempt.",
  "attempts.status": "HTTP status of the answer; `null` where none came.",
  "attempts.error":
    "Why no answer came: `timed_out`, `connection_failed`, `host_not_found`, `private_host` or `not_sent`.",
  "attempts.durationMs": "Duration of the attempt, in milliseconds.",
  "attempts.answer": "The first 1,024 bytes of the answer; `null` for an empty one.",
  nextAttemptAt: "Time of the next attempt; `null` where there is none.",
};
const deliveryListFields = Object.fromEntries(
  Object.entries(deliveryFields).map(([name, meaning]) => [`items.${name}`, meaning]),
);

/** The operations of webhook endpoints and of their deliveries. */
export const endpointOperations: readonly Operation[] = [
  {
    method: "POST",
    path: "/endpoints",
    operationId: "createEndpoint",
    tag: "Events",
    summary: "Create a webhook endpoint",
    description:
      "Sends the instance's events from now on to `url`, signed by Standard Webhooks 1.0.0 (`webhook-id`, `webhook-timestamp`, `webhook-signature`). An instance has at most 10 endpoints. A 2xx answer within 15 s is a delivery; else it is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h. Delivery is at least once.",
    access: "clientToken",
    body: createEndpointSchema,
    isIdempotent: true,
    success: {
      status: 201,
      description: "The endpoint, with its secret.",
      schema: endpointSecretResponseSchema,
    },
    errors: ["too_many_endpoints"],
    fields: endpointFields,
    examples: [{
      name: "crm",
      summary: "Two types of events for a CRM",
      request: { url: endpoint.url, types: endpoint.types, description: "CRM" },
      response: { success: true, ...endpoint, secret },
    }],
  },
  {
    method: "GET",
    path: "/endpoints",
    operationId: "listEndpoints",
    tag: "Events",
    summary: "List webhook endpoints",
    description: "Oldest first, without their secrets.",
    access: "clientToken",
    query: listEndpointsSchema,
    success: { description: "A page of endpoints.", schema: endpointsResponseSchema },
    errors: [],
    fields: listFields,
    examples: [{
      name: "page",
      summary: "The only endpoint",
      request: {},
      response: { success: true, items: [endpoint], nextCursor: null },
    }],
  },
  {
    method: "GET",
    path: "/endpoints/:id",
    operationId: "getEndpoint",
    tag: "Events",
    summary: "Read a webhook endpoint",
    description: "Returns the endpoint without its secret.",
    access: "clientToken",
    pathParameters: endpointOf(demoEndpointId),
    query: instanceOnlySchema,
    success: { description: "The endpoint.", schema: endpointResponseSchema },
    errors: [...unknownEndpoint],
    fields: endpointFields,
    examples: [{
      name: "active",
      summary: "An active endpoint",
      response: { success: true, ...endpoint },
    }],
  },
  {
    method: "PATCH",
    path: "/endpoints/:id",
    operationId: "updateEndpoint",
    tag: "Events",
    summary: "Change a webhook endpoint",
    description:
      "Changes only the fields in the request. `isActive: false` ends what waits for the endpoint as `failed`. `isActive: true` sends what is recorded from then on; a replay brings what was missed.",
    access: "clientToken",
    pathParameters: endpointOf(demoEndpointId),
    body: updateEndpointSchema,
    success: { description: "The endpoint.", schema: endpointResponseSchema },
    errors: [...unknownEndpoint],
    fields: endpointFields,
    examples: [{
      name: "activate",
      summary: "Activate an endpoint again",
      request: { isActive: true },
      response: { success: true, ...endpoint },
    }],
  },
  {
    method: "DELETE",
    path: "/endpoints/:id",
    operationId: "deleteEndpoint",
    tag: "Events",
    summary: "Delete a webhook endpoint",
    description: "Deletes the endpoint, its secret and its deliveries.",
    access: "clientToken",
    pathParameters: endpointOf(demoFormerEndpointId),
    query: instanceOnlySchema,
    success: { description: "The deleted endpoint.", schema: endpointResponseSchema },
    errors: [...unknownEndpoint],
    fields: endpointFields,
    examples: [{
      name: "delete",
      summary: "Delete an endpoint",
      response: { success: true, ...endpoint, endpointId: demoFormerEndpointId, isActive: false },
    }],
  },
  {
    method: "POST",
    path: "/endpoints/:id/rotate-secret",
    operationId: "rotateEndpointSecret",
    tag: "Events",
    summary: "Replace an endpoint's secret",
    description:
      "Until the grace period ends both secrets sign, each with a signature of its own. Until then another rotation is `409 secret_rotation_pending`; with `gracePeriodSeconds` 0 it is taken, and the former secrets end at once.",
    access: "clientToken",
    pathParameters: endpointOf(demoEndpointId),
    body: rotateSecretSchema,
    isBodyOptional: true,
    query: instanceOnlySchema,
    isIdempotent: true,
    success: {
      description: "The endpoint, with its new secret.",
      schema: endpointSecretResponseSchema,
    },
    errors: [...unknownEndpoint, "secret_rotation_pending"],
    fields: endpointFields,
    examples: [{
      name: "rotate",
      summary: "A day's grace",
      request: { gracePeriodSeconds: 86_400 },
      response: {
        success: true,
        ...endpoint,
        previousSecretUntil: "2026-11-24T13:00:00.000Z",
        secret,
      },
    }],
  },
  {
    method: "POST",
    path: "/endpoints/:id/test",
    operationId: "testEndpoint",
    tag: "Events",
    summary: "Send a test event",
    description:
      "Sends `endpoint.test` at once, also to an endpoint that is not active, and answers what came of it. It is not tried again.",
    access: "clientToken",
    pathParameters: endpointOf(demoEndpointId),
    body: instanceOnlySchema,
    isBodyOptional: true,
    query: instanceOnlySchema,
    isIdempotent: true,
    success: { description: "What came of the call.", schema: testResponseSchema },
    errors: [...unknownEndpoint],
    fields: {
      delivered: "Whether the answer was 2xx.",
      status: deliveryFields["attempts.status"],
      error: deliveryFields["attempts.error"],
      durationMs: deliveryFields["attempts.durationMs"],
    },
    examples: [{
      name: "test",
      summary: "A receiver that answers",
      request: { instanceId: demoInstanceRef },
      response: { success: true, delivered: true, status: 204, error: null, durationMs: 38 },
    }],
  },
  {
    method: "GET",
    path: "/endpoints/:id/deliveries",
    operationId: "listDeliveries",
    tag: "Events",
    summary: "List an endpoint's deliveries",
    description: "The newest event first. Deliveries are kept for 30 days.",
    access: "clientToken",
    pathParameters: endpointOf(demoEndpointId),
    query: listDeliveriesSchema,
    success: { description: "A page of deliveries.", schema: deliveriesResponseSchema },
    errors: [...unknownEndpoint],
    fields: { ...deliveryListFields, status: "Only deliveries of this status." },
    examples: [{
      name: "pending",
      summary: "What is tried again",
      request: { status: "pending" },
      response: { success: true, items: [delivery], nextCursor: null },
    }],
  },
  {
    method: "POST",
    path: "/deliveries/:id/resend",
    operationId: "resendDelivery",
    tag: "Events",
    summary: "Send a delivery again",
    description:
      "Sends the same event with the same id at once, from the beginning of the schedule, whatever became of it before.",
    access: "clientToken",
    pathParameters: {
      id: { description: "`deliveryId` of the delivery.", example: demoDeliveryId },
    },
    body: instanceOnlySchema,
    isBodyOptional: true,
    query: instanceOnlySchema,
    isIdempotent: true,
    success: { description: "The delivery.", schema: deliveryResponseSchema },
    errors: ["delivery_not_found", "endpoint_not_active"],
    fields: deliveryFields,
    examples: [{
      name: "resend",
      summary: "Send a delivery again",
      request: { instanceId: demoInstanceRef },
      response: { success: true, ...delivery },
    }],
  },
  {
    method: "POST",
    path: "/endpoints/:id/replay",
    operationId: "replayEvents",
    tag: "Events",
    summary: "Send the events of a time again",
    description:
      "Sends every event of the time that the endpoint takes, with the same ids, delivered before or not. One replay of an endpoint waits at a time: while one does, another is `409 replay_pending`.",
    access: "clientToken",
    pathParameters: endpointOf(demoEndpointId),
    body: replaySchema,
    isIdempotent: true,
    success: {
      status: 202,
      description: "The events are on their way.",
      schema: replayResponseSchema,
    },
    errors: ["endpoint_not_found", "endpoint_not_active", "replay_pending"],
    fields: {
      since: "Beginning of the time, included.",
      until: "End of the time, included; now when omitted.",
      types: "Only these of the types that the endpoint takes; all of them when omitted.",
      count: "Number of events that are sent.",
    },
    examples: [{
      name: "replay",
      summary: "What was missed in an hour",
      request: {
        since: "2026-11-23T10:00:00-03:00",
        until: "2026-11-23T11:00:00-03:00",
      },
      response: { success: true, count: 128 },
    }],
  },
];
