import { cutText } from "../../shared/model/cut_text.ts";
import type * as z from "zod";
import { receivedPartNames } from "../../shared/model/received_parts.ts";
import { describeQuotes, drawQuoteMark, quoteTexts } from "./quote_texts.ts";

/** What a tool has found: the body of the API's answer. */
export type Found = Readonly<Record<string, unknown>>;

/** A tool's result in the form of the protocol. */
export interface ToolAnswer {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
}

/** Largest answer, in bytes: a model reads all of it. */
export const maxAnswerBytes = 20_000;
/** Members that people and callers fill, at any depth: they may have any number of entries. */
const filledMembers: ReadonlySet<string> = new Set([
  ...receivedPartNames,
  ...["metadata", "customLabels", "variables"],
]);
/** Kept free for what the protocol writes around a result. */
const envelopeBytes = 200;

/** How much of an answer is left: characters of a text, entries of a list and of a member that people fill. */
interface Cut {
  readonly length: number;
  readonly count: number;
}

/** Made one after the other, until the rest fits. */
const cuts: readonly Cut[] = [
  ...[4_000, 2_000, 1_000, 500, 200, 80].map((length) => ({ length, count: Infinity })),
  ...[10, 3, 1].map((count) => ({ length: 80, count })),
];
/** Characters of an error that are left where it does not fit. */
const longestError = 2_000;

/**
 * Writes what was found, quoted as its record says; null where it is too long. What is too long as it stands is
 * not quoted first: quoting a page of history costs more than everything else.
 */
export function writeAnswer(found: Found, record: z.ZodType): ToolAnswer | null {
  if (JSON.stringify(found).length > maxAnswerBytes) return null;
  const mark = drawQuoteMark();
  const quoting = describeQuotes(mark);
  const { isTruncated, ...shown } = found;
  const structuredContent = {
    quoting,
    ...quoteTexts(shown, mark, record) as Found,
    ...(isTruncated === undefined ? {} : { isTruncated }),
  };
  const answer = {
    content: [{ type: "text" as const, text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
  return sizeOf(answer) <= maxAnswerBytes - envelopeBytes ? answer : null;
}

/** Writes what was found with its texts cut, and the lists in it too where that is not enough. */
export function writeCutAnswer(found: Found, record: z.ZodType): ToolAnswer {
  for (const cut of cuts) {
    const answer = writeAnswer({ ...cutDown(found, cut) as Found, isTruncated: true }, record);
    if (answer !== null) return answer;
  }
  const short = Object.entries(cutDown(found, { length: 80, count: 1 }) as Found)
    .filter(([, value]) => typeof value !== "object" || value === null);
  return writeAnswer({ ...Object.fromEntries(short.slice(0, 40)), isTruncated: true }, record) ??
    { content: [], structuredContent: { isTruncated: true } };
}

/** An error of the protocol in a length that fits: it names each wrong field, of a thousand recipients too. */
export function cutLongError(json: string): string {
  if (new TextEncoder().encode(json).length <= maxAnswerBytes) return json;
  const { error, result, ...rest } = JSON.parse(json);
  if (error !== undefined) {
    return JSON.stringify({ ...rest, error: { ...error, message: shorten(error.message) } });
  }
  if (result?.isError !== true) return json;
  const content = (result.content as { text: string }[])
    .map((part) => ({ ...part, text: shorten(part.text) }));
  return JSON.stringify({ ...rest, result: { ...result, content } });
}

function shorten(text: string, length = longestError): string {
  return text.length <= length ? text : `${cutText(text, length)}…`;
}

function cutDown(value: unknown, cut: Cut, field = ""): unknown {
  if (typeof value === "string") return shorten(value, cut.length);
  if (Array.isArray(value)) return value.slice(0, cut.count).map((one) => cutDown(one, cut, field));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).slice(0, filledMembers.has(field) ? cut.count : undefined)
      .map(([key, member]) => [key, cutDown(member, cut, filledMembers.has(field) ? field : key)]),
  );
}

function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
