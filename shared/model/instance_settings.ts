/** The settings of an instance that its owner chooses: `write_instance_settings` writes them. */
import { interactiveRenderings } from "./message_fit.ts";
import * as z from "zod";
import { mostMessagesPerSecond } from "./allowance.ts";
import { formSchema } from "./bounded_fields.ts";
import { storableInstantSchema } from "./instant.ts";
import { daySchema, visibleTextSchema } from "./request_fields.ts";
import type { AnswerOf } from "./response_fields.ts";
import { idleSchema, shownIdleSchema } from "./idle.ts";
import { readReceiptModes } from "./read_receipts.ts";
import { transcribeVoiceModes } from "./transcribe_voice.ts";
import { shownTurnsSchema, turnsSchema } from "./turns.ts";

/** What a reached budget may stop. */
const budgetStops = ["marketing", "batches"] as const;

const windowStartSchema = formSchema(
  /^([01]\d|2[0-3]):[0-5]\d$/,
  5,
  "must be a time like 08:00",
);
const windowEndSchema = formSchema(
  /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/,
  5,
  "must be a time like 20:00, at most 24:00",
);
const windowDaysSchema = z.array(z.number().int().min(1).max(7)).min(1).max(7)
  .refine((days) => new Set(days).size === days.length, "must not contain a day twice")
  .transform((days) => days.toSorted((a, b) => a - b));

/** When the queue may send: local times, ISO weekdays (1 is Monday), days without sending. */
export const sendWindowSchema = z.object({
  start: windowStartSchema.optional(),
  end: windowEndSchema.optional(),
  days: windowDaysSchema.optional(),
  holidays: z.array(daySchema).max(1_000).optional(),
});

/** The default send window of an instance (decisions, section 5). */
export const defaultSendWindow = {
  start: "08:00",
  end: "20:00",
  days: [1, 2, 3, 4, 5],
  holidays: [],
} as const;

/** A whole message of a contact. Compared as `fold_keyword` does. */
const keywordSchema = z.string().trim().min(1).max(40)
  .regex(/^[^\p{L}\p{N}\r\n\0]*[\p{L}\p{N}][^\r\n\0]*$/u, "must be words on one line");
const keywordsSchema = z.array(keywordSchema).max(50);

/** How contacts decide about marketing by a message. Absent members keep their values. */
const optOutSchema = z.object({
  keywords: keywordsSchema.optional(),
  resumeKeywords: keywordsSchema.optional(),
  confirmation: visibleTextSchema(1_024).nullable().optional(),
}).refine(
  (optOut) => Object.values(optOut).some((value) => value !== undefined),
  "must have keywords, resumeKeywords or confirmation",
);
const retentionDaysSchema = z.number().int().min(1).max(36_500).nullable().optional();

/** How long data are kept, in days; null for ever. Absent members keep their values. */
const retentionSchema = z.object({
  messagesDays: retentionDaysSchema,
  mediaDays: retentionDaysSchema,
  providerEventsDays: retentionDaysSchema,
}).refine(
  (retention) => Object.values(retention).some((value) => value !== undefined),
  "must have messagesDays, mediaDays or providerEventsDays",
);

/** `true` and `false` are what the setting was before it had names. */
const transcribeVoiceSchema = z.preprocess(
  (value) => typeof value === "boolean" ? (value ? "always" : "never") : value,
  z.enum(transcribeVoiceModes),
);

/** How much a number may do a day. Absent members keep their values, null ones are removed. */
const protectionSchema = z.object({
  dailyLimit: z.number().int().min(1).max(1_000_000).nullable().optional(),
  newContactsPerDay: z.number().int().min(1).max(1_000_000).nullable().optional(),
  jitterSeconds: z.number().int().min(0).max(3_600).nullable().optional(),
  warmUp: z.object({
    startPerDay: z.number().int().min(1).max(1_000_000),
    rampDays: z.number().int().min(1).max(365),
    startedAt: z.union([storableInstantSchema, daySchema], {
      error: "must be a day, or an instant with an offset",
    }),
  }).nullable().optional(),
}).refine(
  (protection) => Object.values(protection).some((value) => value !== undefined),
  "must have dailyLimit, newContactsPerDay, jitterSeconds or warmUp",
).nullable();
/** How fast an official number sends: no more than its allowance, which the database knows. */
const paceSchema = z.object({
  messagesPerSecond: z.number().int().min(1).max(mostMessagesPerSecond),
}).nullable();
/** What an instance's messages may cost in a month. Replaces a former budget as a whole. */
const budgetSchema = z.object({
  monthlyAmount: formSchema(
    /^\d{1,12}(\.\d{1,10})?$/,
    23,
    "must be a decimal text such as 250.00",
  ),
  warnAtPercent: z.number().int().min(1).max(100).default(80),
  stops: z.array(z.enum(budgetStops)).max(budgetStops.length)
    .refine((stops) => new Set(stops).size === stops.length, "must not contain a word twice")
    .default([]),
}).nullable();
/** What happens to a message whose outcome stays unknown. */
export const onUnconfirmedModes = ["hold", "retry"] as const;

const readReceiptsSchema = z.enum(readReceiptModes);
const onUnconfirmedSchema = z.enum(onUnconfirmedModes);
const interactiveRenderingSchema = z.enum(interactiveRenderings);
const freeServiceMessagesSchema = z.number().int().min(0).max(1_000_000_000);
/** Requests per minute of one client token to one function; null is no limit. */
const requestsPerMinuteSchema = z.number().int().min(1).max(1_000_000).nullable();

/** A setting with its form in a request and in an answer, and its meaning. */
function setting<Written extends z.ZodType, Shown extends z.ZodType>(
  description: string,
  written: Written,
  shown: Shown,
): { readonly written: z.ZodOptional<Written>; readonly shown: Shown } {
  return { written: written.meta({ description }).optional(), shown: shown.meta({ description }) };
}

const settings = {
  sendWindow: setting(
    "Days and hours in which the queue sends. `days` are weekdays, from 1 (Monday) to 7 (Sunday).",
    sendWindowSchema,
    z.object({
      start: z.string(),
      end: z.string(),
      days: z.array(z.int()),
      holidays: z.array(daySchema),
    }),
  ),
  protection: setting(
    "How much a number may do on a day, by the instance's own days; null for no limit. What exceeds a limit leaves on a later day. Immediate sends count and are never held.",
    protectionSchema,
    z.object({
      dailyLimit: z.int().optional(),
      newContactsPerDay: z.int().optional(),
      jitterSeconds: z.int().optional(),
      warmUp: z.object({ startPerDay: z.int(), rampDays: z.int(), startedAt: z.string() })
        .optional(),
    }).nullable(),
  ),
  pace: setting(
    "How fast the queue of an official instance sends what has no `intervalSeconds` of its own, batches too: so many messages a second, many of them at once, no more than the number's `allowance` (80 as long as the channel told nothing else), in the send window and under `protection`'s limits of the day. Null for none (the default): the interval of 30 seconds. Must be null for a gateway. A refusal for speed halves it for a minute, see `messages-api/health`.",
    paceSchema,
    z.object({ messagesPerSecond: z.int().min(1).max(mostMessagesPerSecond) }).nullable(),
  ),
  budget: setting(
    "What the messages of a calendar month may cost, by the instance's time zone and in the currency of the workspace's rates; null for no budget (the default). `budget.warning` and `budget.reached` and an e-mail to the workspace's `alertEmail` tell once a month and amount that `warnAtPercent` (default: 80) or all of it is spent or under way. Then what `stops` names waits with `heldBy: \"budget\"` until the month ends or the budget is changed: `marketing`, queued and scheduled messages of that purpose; `batches`, messages of batches that are not utility or authentication. Nothing else is held. See `messages-api/usage/budget`.",
    budgetSchema,
    z.object({
      monthlyAmount: z.string(),
      warnAtPercent: z.int().min(1).max(100),
      stops: z.array(z.enum(budgetStops)),
    }).nullable(),
  ),
  idle: setting(
    "After which silences of a conversation `conversation.idle` is told, at most 5: `afterMinutes` after its newest message, where that awaits the `customer` (the message is ours) or `us` (it is the contact's). None by default. A change counts for silences that begin after it, and for what is due after it of those that are watched already. See `docs/follow-ups.md`.",
    idleSchema,
    shownIdleSchema,
  ),
  turns: setting(
    "When a contact's messages in a row are told together by `conversation.turn`: `quietSeconds` after the last of them, at the latest `maxSeconds` after the first, at most 50. The AI agent answers then, instead of three seconds after the first. Null for none (the default). A change counts from the next turn on. See `docs/received.md`.",
    turnsSchema,
    shownTurnsSchema,
  ),
  optOut: setting(
    "How a contact decides about marketing by a message: `keywords` deny it, `resumeKeywords` grant it. The whole message counts, without regard to case, accents, punctuation around it and marks that nobody sees. The AI agent neither answers nor sees it.",
    optOutSchema,
    z.object({
      keywords: z.array(z.string()),
      resumeKeywords: z.array(z.string()),
      confirmation: z.string().nullable(),
    }),
  ),
  retention: setting(
    "For how many days the instance's data are kept; null for ever. What is older is deleted by the dispatcher.",
    retentionSchema,
    z.object({
      messagesDays: z.int().min(1).nullable(),
      mediaDays: z.int().min(1).nullable(),
      providerEventsDays: z.int().min(1).nullable(),
    }),
  ),
  transcribeVoice: setting(
    "Which received voice messages are written down by the AI endpoint, where it offers `/audio/transcriptions`: `agent`, those that an active agent will answer (the default); `always`; `never`. The words stand in the history, and the agent reads them. `true` is taken as `always`, `false` as `never`.",
    transcribeVoiceSchema,
    z.enum(transcribeVoiceModes),
  ),
  onUnconfirmed: setting(
    "What happens to a message whose outcome stays unknown: `hold` keeps it, `retry` sends it again.",
    onUnconfirmedSchema,
    onUnconfirmedSchema,
  ),
  interactiveRendering: setting(
    "How buttons, lists and link buttons go out where a call does not say: `native`, as the channel's own; `text`, as numbered text, whose numbers and titles choose when they are typed; `auto` (the default), native where the channel shows it dependably.",
    interactiveRenderingSchema,
    interactiveRenderingSchema,
  ),
  readReceipts: setting(
    "When received messages are marked as read on the channel without a call: `off`, never (the default); `on_reply`, when a message to the person was sent, batches left out; `on_receive`, when they arrive, groups left out. Unless it is `off`, the person sees that the AI agent is typing while it thinks, where the channel can show it.",
    readReceiptsSchema,
    readReceiptsSchema,
  ),
  freeServiceMessagesPerMonth: setting(
    "How many service messages of a month in UTC the official channel delivers for nothing: they are estimated as free, in the order of its instants. What a free entry point made free does not count. Default: 1000.",
    freeServiceMessagesSchema,
    z.int().min(0),
  ),
  directSend: setting(
    "Whether the account may send utility messages outside the conversation window without a template (Direct Send), which the official channel opens for some: only then is the rung `directSend` of `outsideWindow` taken. Default: false.",
    z.boolean(),
    z.boolean(),
  ),
  configureWebhooks: setting(
    "Whether the service sets the provider's webhooks to its own address when a phone is being connected (`connection/qr`, `connection/code`, `connection/restart`, a connection link). Default: true. Without it they are only checked: `webhooks` in `messages-api/health`.",
    z.boolean(),
    z.boolean(),
  ),
  requestsPerMinute: setting(
    "Maximum number of requests per minute of one client token to one function; null for no limit.",
    requestsPerMinuteSchema,
    z.int().min(1).nullable(),
  ),
};

type Settings = typeof settings;
type Forms<Form extends "written" | "shown"> = {
  readonly [Name in keyof Settings]: Settings[Name][Form];
};

function formsOf<Form extends "written" | "shown">(form: Form): Forms<Form> {
  const forms = Object.entries(settings).map(([name, setting]) => [name, setting[form]]);
  return Object.fromEntries(forms) as Forms<Form>;
}

/** What a request may set. Absent settings keep their values, or get their defaults. */
export const writtenSettings = formsOf("written");
/** How an answer shows them. */
export const shownSettings = formsOf("shown");

export type WrittenSettings = AnswerOf<z.ZodObject<typeof writtenSettings>>;
