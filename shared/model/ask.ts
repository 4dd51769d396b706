/** What a sending call asks with its message, as requests, drafts and answers say it. */
import * as z from "zod";
import { shortTextSchema } from "./bounded_fields.ts";
import type { Issue } from "./errors.ts";
import type { NumberedChoice } from "./message_content.ts";
import { visibleTextSchema } from "./request_fields.ts";

/** What may be accepted as the answer. */
export const acceptKinds = [
  ...["choice", "text", "number", "date", "email", "document"] as const,
  ...["media", "location", "contact", "any"] as const,
] as const;
export type AcceptKind = (typeof acceptKinds)[number];

const minuteSeconds = 60;
const daySeconds = 86_400;
/** The bounds of `answerWithin` and `remindAfter`. */
const bounds = { least: minuteSeconds, most: 30 * daySeconds };

const durationPattern =
  /^P(?:(\d{1,9})W|(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?)$/;

/** The seconds of an ISO 8601 duration of weeks, or of days, hours, minutes and seconds; null for other texts. */
export function readDurationSeconds(text: string): number | null {
  const parts = durationPattern.exec(text)?.slice(1);
  if (parts === undefined || parts.every((part) => part === undefined)) return null;
  const units = [7 * daySeconds, daySeconds, 3_600, minuteSeconds, 1];
  return parts.reduce((sum, part, index) => sum + Number(part ?? 0) * (units[index] ?? 0), 0);
}

const durationSchema = z.string().max(40).refine((text) => {
  const seconds = readDurationSeconds(text);
  return seconds !== null && seconds >= bounds.least && seconds <= bounds.most;
}, "must be an ISO 8601 duration from PT1M to P30D, such as PT2H");

/** The caller's own name for a question. */
export const questionKeySchema = shortTextSchema(100).refine(
  (text) => text.isWellFormed() && !text.includes("\0"),
  "must not contain NUL or half of a surrogate pair",
);

export const askSchema = z.object({
  accept: z.enum(acceptKinds).optional().meta({
    description:
      "What counts as the answer. Default: `choice` where the message has options, `location` and `contact` for requests of these, else `text`. `number`, `date`, `email` and `document` (CPF, CNPJ) are read as Brazilians write them.",
  }),
  answerWithin: durationSchema.meta({
    description:
      "How long the question is open once the message has left: ISO 8601, `PT1M` to `P30D`.",
  }),
  key: questionKeySchema.optional().meta({
    description: "Your own name for the question, given back everywhere.",
  }),
  remindAfter: durationSchema.optional().meta({
    description:
      "When to remind once, after the message has left, where the question is still open: shorter than `answerWithin`.",
  }),
  reminder: visibleTextSchema(4_096).optional().meta({
    description: "Words of the reminder. Default: the question's own.",
  }),
  onInvalid: visibleTextSchema(4_096).optional().meta({
    description: "Text that is sent, once, when something comes that does not fit.",
  }),
  notifyUrl: z.string().min(1).max(2_048).optional().meta({
    description:
      "Address that gets the question's one event, signed with `notifySecret` of the answer. Called exactly as given.",
  }),
});

export const askField = {
  ask: askSchema.optional().meta({
    description: "Makes the message a question, whose answer is told as `question.answered`.",
  }),
};

export type Ask = z.infer<typeof askSchema>;

/** A question as it is stored with its message. */
export interface StoredAsk {
  readonly questionId: string;
  readonly accept: AcceptKind;
  readonly choices?: readonly NumberedChoice[] | undefined;
  readonly answerWithinSeconds: number;
  readonly remindAfterSeconds?: number | undefined;
  readonly key?: string | undefined;
  readonly reminder?: string | undefined;
  readonly onInvalid?: string | undefined;
  /** Address and secret, sealed for the instance. */
  readonly sealedNotify?: string | undefined;
  /** The agent that asks; undefined for a call. */
  readonly agentId?: string | undefined;
}

/** The kinds of message that may ask. An image asks by its caption. */
const askingTypes: readonly unknown[] = [
  ...["text", "image", "buttons", "option_list", "location_request", "contact_request"],
];

const typesWithOptions: readonly unknown[] = ["buttons", "option_list"];

/**
 * The issues of an `ask` beside a message of this type. `hasOptions` says whether a choice can be made; undefined
 * where only a template knows.
 */
export function findAskIssues(
  ask: unknown,
  message: Readonly<Record<string, unknown>> | null,
): Issue[] {
  if (ask === undefined || typeof ask !== "object" || ask === null) return [];
  const given = ask as Readonly<Record<string, unknown>>;
  const issues = [...findTimeIssues(given)];
  if (message === null) return issues;
  const { messageType } = message;
  if (messageType !== undefined && !askingTypes.includes(messageType)) {
    issues.push({ path: "ask", message: `cannot be sent with messageType ${messageType}` });
  } else if (messageType === "image" && message["message"] === undefined) {
    issues.push({ path: "message", message: "is required for an image that asks" });
  }
  if (given["accept"] === "choice" && !typesWithOptions.includes(messageType)) {
    issues.push({ path: "ask.accept", message: "choice needs a message with options" });
  }
  return issues;
}

function findTimeIssues(
  { answerWithin, remindAfter, reminder }: Readonly<Record<string, unknown>>,
): Issue[] {
  const issues: Issue[] = [];
  const within = readDurationSeconds(String(answerWithin));
  const after = readDurationSeconds(String(remindAfter));
  if (within !== null && after !== null && after >= within) {
    issues.push({ path: "ask.remindAfter", message: "must be shorter than answerWithin" });
  }
  if (reminder !== undefined && remindAfter === undefined) {
    issues.push({ path: "ask.remindAfter", message: "is required beside reminder" });
  }
  return issues;
}

/** What is accepted where the call does not say. */
export function defaultAccept(messageType: string, hasOptions: boolean): AcceptKind {
  if (messageType === "location_request") return "location";
  if (messageType === "contact_request") return "contact";
  return hasOptions ? "choice" : "text";
}

/** What all messages of a call ask: a batch's differ by their words and options. */
export interface PreparedAsk {
  readonly ask: Omit<Ask, "notifyUrl">;
  readonly sealedNotify?: string | undefined;
}

/** Where a question's end is told, and what signs it. */
export interface Notification {
  /** As given. */
  readonly url: string;
  readonly secret: string;
}
