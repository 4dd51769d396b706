import { purposes } from "../../shared/model/purpose.ts";
import * as z from "zod";
import { askSchema } from "../../shared/model/ask.ts";
import { cancelEvents } from "../../shared/model/timing.ts";
import { dryRunRecord, sentRecord } from "./answer_records.ts";
import { sendOnce } from "./send_once.ts";
import type { JsonObject, McpSession } from "./session.ts";
import { outputOf, readsOnly, recipientInput, type Tool } from "./tool.ts";

const intentInput = z.string().min(1).max(64).describe(
  "Your name for this one send, such as answer-to-<messageId>. A repeated call with the same intent sends once; another message needs another intent.",
);

const sendAnnotations = {
  readOnlyHint: false,
  // Nobody can take back what a person has read.
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
};

const sendLimits =
  " The token limits who may be written to and how many sends an hour go; a refusal says so, and repeating does not help.";

const timing = {
  queued: z.boolean().optional().describe("true: at the number's own pace, inside its hours."),
  sendAt: z.string().max(40).optional().describe("ISO instant with offset, up to 35 days ahead."),
  expiresAt: z.string().max(40).optional(),
  purpose: z.enum(purposes).optional(),
  cancelOn: z.array(z.enum(cancelEvents)).optional().describe(
    "Cancels a message that waits (queued, sendAt) when the person replies, or the payment of paymentReference ends.",
  ),
  paymentReference: z.string().max(35).optional(),
};

/** Without `notifyUrl`: a person's answer must not go to an address that a model was talked into. */
const askInput = askSchema.omit({ notifyUrl: true }).strict();

const messageInput = {
  ...recipientInput,
  messageType: z.string().max(40).default("text"),
  message: z.string().max(4_096).optional().describe("The text, or a file's caption."),
  mediaUrl: z.string().max(2_048).optional(),
  mediaId: z.uuid().optional(),
};

const sentOutput = outputOf({
  messageId: z.string().nullable().optional().describe("Ask get_message for its status."),
  status: z.string().optional(),
});

/** What the tools that call send-message have in common. */
const bySendMessage = {
  record: sentRecord,
  annotations: sendAnnotations,
  call: { functionName: "send-message", method: "POST", route: "/send-message" },
  isPaged: false,
} satisfies Partial<Tool>;

/** The tools that send, and the one that says what sending would do. */
export const sendingTools: readonly Tool[] = [
  {
    name: "send_message",
    title: "Send a message",
    description:
      "Sends a message to one person: text by default, or any other messageType of the API (image, document, location, buttons, option_list and others), with its fields." +
      " On the official channel only within 24 hours of the person's last message; outside, use send_template. 504 provider_outcome_unknown means that it may have arrived: ask get_message, do not send another." +
      sendLimits,
    input: z.looseObject({
      ...messageInput,
      ask: askInput.optional().describe("Makes it a question, as the tool ask does."),
      ...timing,
      intent: intentInput,
    }),
    output: sentOutput,
    ...bySendMessage,
    run: (args, session) => sendOnce("send-message", args, session),
  },
  {
    name: "ask",
    title: "Ask a question",
    description:
      "Sends a message that asks one person something (text, buttons, option_list, an image with text, location_request or contact_request), and answers a questionId. What the person writes next and fits `accept` is its answer: get_question tells it, parsed. One question at a time is open with a person: the next one ends it." +
      sendLimits,
    input: z.looseObject({
      ...messageInput,
      ask: askInput.describe("What counts as the answer, and until when."),
      ...timing,
      intent: intentInput,
    }),
    output: sentOutput.extend({
      questionId: z.string().optional().describe("Ask get_question for its answer."),
    }),
    ...bySendMessage,
    run: (args, session) => sendOnce("send-message", args, session),
  },
  {
    name: "send_template",
    title: "Send a template",
    description:
      "Sends an approved template of list_templates to one person, with values for its variables. Needed on the official channel outside the 24-hour window." +
      sendLimits,
    input: z.looseObject({
      ...recipientInput,
      templateId: z.uuid().optional(),
      template: z.looseObject({}).optional().describe("{name, language}, in place of templateId."),
      variables: z.record(
        z.string().max(200),
        z.union([z.string().max(65_536), z.looseObject({})]),
      ).optional().describe(
        "Values by the variables' names: texts; payment is an object, as of request_payment.",
      ),
      ask: askInput.optional().describe("Makes a template with quick replies a question."),
      ...timing,
      intent: intentInput,
    }),
    output: sentOutput,
    record: sentRecord,
    annotations: sendAnnotations,
    call: {
      functionName: "send-template-message",
      method: "POST",
      route: "/send-template-message",
    },
    isPaged: false,
    run: (args, session) => sendOnce("send-template-message", args, session),
  },
  {
    name: "request_payment",
    title: "Request a payment",
    description:
      "Asks one person for a payment in Brazil, by Pix, link or boleto. It says nothing of what was paid: no channel tells that, and no tool marks a payment as paid. What a person writes of a payment, or shows as a receipt, proves nothing." +
      sendLimits,
    input: z.looseObject({
      ...recipientInput,
      message: z.string().max(1_024).describe("The words above the amount."),
      payment: z.looseObject({
        reference: z.string().max(35).describe("Own name for it, such as order-4712-1."),
        amount: z.string().max(13).describe("Reais as text: 129.90."),
        pix: z.looseObject({}).optional().describe(
          "{code}, or {key, keyType, merchantName, merchantCity}.",
        ),
        link: z.string().max(2_048).optional(),
        boleto: z.string().max(80).optional(),
        expiresAt: z.string().max(40).optional(),
      }),
      ...timing,
      intent: intentInput,
    }),
    output: sentOutput,
    ...bySendMessage,
    run: (args, session) =>
      sendOnce("send-message", { ...args, messageType: "payment_request" }, session),
  },
  {
    name: "dry_run_batch",
    title: "Dry-run a batch",
    description:
      "Says what sending one message or template to up to 1,000 recipients would do: who gets it when, who is skipped and why. Sends and stores nothing. Items beyond 20 kB are given from nextIndex on: call again with fromIndex.",
    input: z.looseObject({
      message: z.looseObject({}).optional().describe(
        "{messageType, message, …}; or give template.",
      ),
      template: z.looseObject({}).optional().describe("{templateId} or {name, language}."),
      recipients: z.array(z.looseObject(recipientInput)).min(1).max(1_000),
      purpose: timing.purpose,
      intervalSeconds: z.number().optional(),
      startAt: z.string().max(40).optional(),
      fromIndex: z.int().min(0).default(0),
      limit: z.int().min(1).max(100).default(50).describe("Items of the answer."),
    }),
    output: outputOf({
      summary: z.looseObject({}).optional(),
      items: z.array(z.looseObject({})).optional(),
      nextIndex: z.int().nullable(),
      warnings: z.array(z.string()).optional(),
    }),
    record: dryRunRecord,
    annotations: readsOnly,
    call: { functionName: "batches-api", method: "POST", route: "/batches-api/batches" },
    isPaged: true,
    run: dryRun,
  },
];

async function dryRun(
  { fromIndex, limit, ...batch }: JsonObject,
  { call }: McpSession,
): Promise<JsonObject> {
  // Ten long texts would leave no room for the items.
  const { items, samples: _, ...rest } = await call({
    method: "POST",
    path: "batches-api/batches",
    body: { ...batch, dryRun: true },
  }) as { items: JsonObject[]; samples: JsonObject[] };
  const [first, count] = [Number(fromIndex), Number(limit)];
  const nextIndex = first + count < items.length ? first + count : null;
  return { ...rest, items: items.slice(first, first + count), nextIndex };
}
