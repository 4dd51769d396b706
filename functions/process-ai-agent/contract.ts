import * as z from "zod";
import { freeObjectSchema } from "../../shared/model/bounded_fields.ts";
import type { CrossCheck } from "../../shared/http/validate.ts";
import { metadataSchema } from "../../shared/model/metadata.ts";
import { outsideWindowField } from "../../shared/model/outside_window.ts";
import { purposeSchema } from "../../shared/model/purpose.ts";
import {
  findRecipientIssues,
  idSchema,
  instanceIdSchema,
  recipientFields,
  sentBySchema,
  visibleTextSchema,
} from "../../shared/model/request_fields.ts";
import {
  findTimingIssues,
  intervalSecondsSchema,
  timingFields,
} from "../../shared/model/timing.ts";
import {
  type AnswerOf,
  pauseField,
  providerFailureFields,
  sentMessageFields,
  successField,
} from "../../shared/model/response_fields.ts";

/** In characters, after the variables are filled in. */
export const maxMessageLength = 65_536;

/** POST /functions/v1/process-ai-agent (specification 4.5; decisions, section 6). */
export const processAiAgentSchema = z.object({
  instanceId: instanceIdSchema,
  ...recipientFields,
  messageText: visibleTextSchema(maxMessageLength),
  initiateConversation: z.literal(true, "must be true, because this endpoint starts conversations"),
  agentId: idSchema.optional(),
  externalContext: freeObjectSchema(32 * 1024).optional(),
  queued: z.boolean().optional(),
  intervalSeconds: intervalSecondsSchema.optional(),
  metadata: metadataSchema.optional(),
  purpose: purposeSchema,
  sentBy: sentBySchema.default("api"),
  /** As in every sending call: this one never pauses the agent anyway. */
  pauseAgent: z.boolean().optional(),
  ...timingFields,
  ...outsideWindowField,
});

/**
 * Requires exactly one of `phone`, `contactId` and `userId`. `delayMessage` is no field of this call, and
 * ignored; beside `sendAt` it is refused as everywhere, because the caller then means two instants.
 */
export function checkProcessAiAgent(body: Readonly<Record<string, unknown>>): CrossCheck {
  const delayMessage = body["delayMessage"] ?? undefined;
  return (request) => [
    ...findRecipientIssues(request),
    ...findTimingIssues(request["sendAt"] === undefined ? request : { ...request, delayMessage }),
  ];
}

export type ProcessAiAgentRequest = z.infer<typeof processAiAgentSchema>;

const outcomeFields = {
  contactId: z.uuid(),
  conversationId: z.uuid(),
  agentId: z.uuid(),
  ...sentMessageFields,
  ...pauseField,
  unfilled: z.array(z.string()).meta({
    description:
      "The names of `{{name}}` in `messageText` that no variable has, and that were sent as written; left out where there are none.",
  }).optional(),
};

export const processAiAgentResponseSchema = z.discriminatedUnion("mode", [
  z.object({ ...successField, mode: z.literal("sent"), ...outcomeFields }),
  z.object({ ...successField, mode: z.literal("queued"), ...outcomeFields }),
  // Waits for its `sendAt`, or, of a repeated call, for another attempt.
  z.object({ ...successField, mode: z.literal("scheduled"), ...outcomeFields }),
]);

export type ProcessAiAgentResponse = AnswerOf<typeof processAiAgentResponseSchema>;

/** The members of a provider error. The message is already recorded. */
export const processAiAgentFailureSchema = z.object({
  ...outcomeFields,
  ...providerFailureFields,
});
