import type { ErrorCode } from "../../../shared/model/errors.ts";
import { demoInstanceId } from "../../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import {
  connectionChangeResponseSchema,
  connectionResponseSchema,
  pairingCodeResponseSchema,
  pairingCodeSchema,
  qrResponseSchema,
  webhooksResponseSchema,
} from "./connection.ts";
import { adminOperation } from "./resource_docs.ts";

const ofInstance = {
  ...adminOperation,
  pathParameters: {
    id: { description: "`instanceId` of the instance.", example: demoInstanceId },
  },
} satisfies Partial<Operation>;

const pairingErrors = [
  "service_unavailable",
  "Instance not found",
  "connection_not_available",
  "already_connected",
  "connection_pending",
  "passkey_required",
  "session_not_found",
  "provider_connection_failed",
] as const satisfies readonly ErrorCode[];

const changeErrors = [
  "service_unavailable",
  "Instance not found",
  "connection_not_available",
  "session_not_found",
  "provider_connection_failed",
] as const satisfies readonly ErrorCode[];

const expiresAt =
  "When to ask for the code again, which may be another one then: no gateway says how old its code is, and WhatsApp ends a QR code after 20 seconds.";

/** A PNG of one white pixel stands for the picture. */
const exampleImage =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

export const connectionOperations: readonly Operation[] = [
  {
    ...ofInstance,
    method: "GET",
    path: "/instances/:id/connection",
    operationId: "getConnection",
    summary: "Read the connection of an instance",
    description:
      "Asks the provider now. A gateway tells its session with the phone; the official channel what it says of the number. A provider that does not answer, or refuses, is the state `unknown`, and `problem` says why.\n\n" +
      "A gateway that is connected to another number than the instance's `connectedPhone` holds the instance: `instance.held` with the reason `wrong_phone`, until the right phone is connected or `connectedPhone` is changed.",
    success: { description: "The connection.", schema: connectionResponseSchema },
    errors: ["service_unavailable", "Instance not found", "connection_not_available"],
    fields: {
      state:
        "`connecting`: the session is being built up. `waiting_for_scan`: a code waits for the phone. `unknown`: see `problem`.",
      phone: "The number that is connected, in digits; null where the provider does not tell it.",
      since: "Since when the connection is there, or lost, as far as it was told.",
      methods: "How a phone can be connected; empty for the official channel.",
      isExpectedPhone:
        "Whether `phone` is the instance's `connectedPhone`, in any spelling; null where `phone` is not known.",
      number: "What the official channel says of the number; null for a gateway.",
      "number.status": "`CONNECTED`, `FLAGGED`, `BANNED` and others, as the channel spells them.",
      "number.quality": "`GREEN`, `YELLOW`, `RED` or `UNKNOWN`.",
      "number.throughput": "`STANDARD`, `HIGH` or `NOT_APPLICABLE`.",
      "number.messagingLimit": "`TIER_2K` and others.",
      "number.isOnBusinessApp": "Whether the number is also used in the WhatsApp Business app.",
      webhooks: "Where the provider sends the instance's events.",
      "webhooks.state":
        "`ours`: everything that the service reads comes to it. `elsewhere`: not all of it does. `unknown`: the provider did not say.",
      "webhooks.url":
        "The address, without its secrets: of one elsewhere its origin alone; null where it is not known, or there is none.",
      problem: "Why the state is not known; null where it is.",
      "problem.code": "The provider's code, or a code of this service when the provider sent none.",
      "problem.message": "The provider's words.",
    },
    examples: [{
      name: "connected",
      summary: "The expected phone is connected",
      response: {
        success: true,
        state: "connected",
        phone: "5511999990000",
        since: "2026-11-23T13:00:00.000Z",
        methods: ["qr", "code"],
        isExpectedPhone: true,
        number: null,
        webhooks: {
          state: "ours",
          url: `https://project.example.com/functions/v1/provider-webhook/zapi/${demoInstanceId}`,
        },
        problem: null,
      },
    }],
  },
  {
    ...ofInstance,
    method: "POST",
    path: "/instances/:id/connection/qr",
    operationId: "getConnectionQr",
    summary: "Get a QR code that connects a phone",
    description:
      "The code that the phone scans (WhatsApp, Linked devices, Link a device), as its text and as a picture. Begins an attempt where none is under way. Ask again when `expiresAt` has come, until `GET connection` says `connected`. Any phone that scans the code is connected: do not store it. The request has no body.",
    success: { description: "The code.", schema: qrResponseSchema },
    errors: pairingErrors,
    fields: {
      qr: "The text of the code, to draw it oneself.",
      image: "The code as a picture: a PNG as a data URL.",
      expiresAt,
    },
    examples: [{
      name: "code",
      summary: "A code to scan",
      response: {
        success: true,
        qr: "2@h7Jq0cXk,Zr3vQ1xJ8kTn5yLw2aBc,DeFgHiJkLmNo",
        image: exampleImage,
        expiresAt: "2026-11-23T13:00:10.000Z",
      },
    }],
  },
  {
    ...ofInstance,
    method: "POST",
    path: "/instances/:id/connection/code",
    operationId: "getConnectionCode",
    summary: "Get a code to type that connects a phone",
    description:
      "The code that is typed on the phone of this number (WhatsApp, Linked devices, Link a device, Link with phone number instead). A phone on which it is typed is connected: do not store it.",
    body: pairingCodeSchema,
    success: { description: "The code.", schema: pairingCodeResponseSchema },
    errors: [...pairingErrors, "invalid_phone"],
    fields: {
      phone: "The number of the phone on which the code is typed, in digits with country code.",
      code: "Eight letters and digits.",
      expiresAt,
    },
    examples: [{
      name: "code",
      summary: "A code to type",
      request: { phone: "5511999990000" },
      response: { success: true, code: "ABCD1234", expiresAt: "2026-11-23T13:03:00.000Z" },
    }],
  },
  {
    ...ofInstance,
    method: "POST",
    path: "/instances/:id/connection/webhooks",
    operationId: "setConnectionWebhooks",
    summary: "Set the webhooks of an instance",
    description:
      "Points the provider's webhooks to this service, also where `configureWebhooks` is false. Of the official channel it overrides the address for all numbers of the account (`subscribed_apps`), which needs a `wabaId`; what the app subscribes to is set at Meta. The request has no body.",
    isIdempotent: true,
    success: { description: "Where events go now.", schema: webhooksResponseSchema },
    errors: changeErrors,
    fields: {
      state:
        "`ours`: everything that the service reads comes to it. `elsewhere`: not all of it does. `unknown`: the provider did not say.",
      url: "The address, without its secrets.",
    },
    examples: [{
      name: "set",
      summary: "The webhooks are set",
      response: {
        success: true,
        state: "ours",
        url: `https://project.example.com/functions/v1/provider-webhook/zapi/${demoInstanceId}`,
      },
    }],
  },
  {
    ...ofInstance,
    method: "POST",
    path: "/instances/:id/connection/restart",
    operationId: "restartConnection",
    summary: "Restart the session of an instance",
    description:
      "The gateway builds the session up again. A phone that is connected stays so. The request has no body.",
    isIdempotent: true,
    success: { description: "The gateway restarts.", schema: connectionChangeResponseSchema },
    errors: changeErrors,
    examples: [{ name: "restarted", summary: "A restart", response: { success: true } }],
  },
  {
    ...ofInstance,
    method: "POST",
    path: "/instances/:id/connection/logout",
    operationId: "logOutConnection",
    summary: "End the session of an instance",
    description:
      "The phone is no longer connected and has to be connected again; nothing is sent or received until then. The request has no body.",
    isIdempotent: true,
    success: { description: "The session has ended.", schema: connectionChangeResponseSchema },
    errors: changeErrors,
    examples: [{ name: "logged_out", summary: "A logout", response: { success: true } }],
  },
];
