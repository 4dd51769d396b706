import { eventTypes } from "../../../shared/model/event_types.ts";
import { eventDescriptions, eventSchema } from "../../../shared/events/event_data.ts";
import { describeProperties } from "./described_properties.ts";
import { type JsonObject, toJsonSchema } from "./json_schema.ts";

/** The document's `webhooks`, and the components that they name. */
export interface DescribedWebhooks {
  readonly webhooks: Readonly<Record<string, JsonObject>>;
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

/** Describes the call that an endpoint gets for each type of event. */
export function describeWebhooks(): DescribedWebhooks {
  const webhooks: Record<string, JsonObject> = {};
  const schemas: Record<string, JsonObject> = {
    Event: describeProperties("Event", toJsonSchema(eventSchema, "output"), eventFields),
  };
  for (const type of eventTypes) {
    const { when, dataName, data, fields } = eventDescriptions[type];
    schemas[dataName] ??= describeProperties(dataName, toJsonSchema(data, "output"), {
      ...dataFields,
      ...fields,
    });
    webhooks[type] = {
      post: {
        operationId: toOperationId(type),
        tags: ["Events"],
        summary: `Told when ${when}`,
        description:
          "Sent to the instance's webhook endpoints that take the type. Answer 2xx within 15 s; do the work afterwards.",
        security: [],
        parameters: signatureHeaders,
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                allOf: [{ $ref: "#/components/schemas/Event" }],
                properties: {
                  type: { const: type },
                  data: { $ref: `#/components/schemas/${dataName}` },
                },
              },
            },
          },
        },
        responses: {
          "2XX": { description: "Delivered." },
          "4XX": {
            description: "Not delivered: tried again later; after 410 the endpoint is disabled.",
          },
        },
      },
    };
  }
  return { webhooks, schemas };
}

/** `message.status_changed` is `onMessageStatusChanged`. */
function toOperationId(type: string): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `on${words.join("")}`;
}

const header = (name: string, description: string): JsonObject => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

const signatureHeaders = [
  header("webhook-id", "The event's id: the same on every attempt."),
  header("webhook-timestamp", "Time of the attempt, in seconds since 1970."),
  header(
    "webhook-signature",
    "`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several are separated by spaces (Standard Webhooks 1.0.0).",
  ),
];

const eventFields: Readonly<Record<string, string>> = {
  id: "The event's id: the same whenever and however it is told.",
  type: "Type of the event.",
  timestamp: "Time at which it became true.",
  sequence: "Rises in the order of the feed; unique within the instance. Numbers may be missing.",
  data: "The state at that moment.",
};

const dataFields: Readonly<Record<string, string>> = {
  expiresAt: "What has not left by then is never sent and becomes `expired`; null for no end.",
  isTruncated: "Whether a text was cut because the event exceeded 20,000 bytes.",
  fieldsUpdated: "Names of the fields that have changed; `tags` for tags.",
  mergedInto: "Id of the contact that remains.",
  consent: "The contact's consent as it is now.",
  operatorId: "The operator of the conversation now; `null` for nobody.",
  pausedUntil: "End of the pause; `null` where the agent is not paused.",
  endpointId: "Id of the webhook endpoint.",
  reason: "Why it happened.",
};
