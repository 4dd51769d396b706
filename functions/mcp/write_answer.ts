import { describeQuotes, drawQuoteMark, quoteTexts } from "./quote_texts.ts";

/** What a tool has found: the body of the API's answer. */
export type Found = Readonly<Record<string, unknown>>;

/** A tool's result in the form of the protocol. */
export interface ToolAnswer {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
}

/** Largest result, in bytes: a model reads all of it. */
export const maxAnswerBytes = 20_000;
/** Lengths to which long texts are cut, one after the other, until the rest fits. */
const cuts = [4_000, 2_000, 1_000, 500, 200, 80];

/** Writes what was found, quoted; null where it is too long. */
export function writeAnswer(found: Found): ToolAnswer | null {
  const mark = drawQuoteMark();
  const quoting = describeQuotes(mark);
  const structuredContent = { quoting, ...quoteTexts(found, mark) as Found };
  const answer = {
    content: [{ type: "text" as const, text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
  return sizeOf(answer) <= maxAnswerBytes ? answer : null;
}

/** Writes what was found with its texts cut, and its list too where that is not enough. */
export function writeCutAnswer(found: Found): ToolAnswer {
  for (const length of cuts) {
    const answer = writeAnswer({ ...cutTexts(found, length) as Found, isTruncated: true });
    if (answer !== null) return answer;
  }
  const short = Object.entries(cutTexts(found, 80) as Found)
    .filter(([, value]) => typeof value !== "object" || value === null);
  return writeAnswer({ ...Object.fromEntries(short.slice(0, 40)), isTruncated: true }) ??
    { content: [], structuredContent: { isTruncated: true } };
}

function cutTexts(value: unknown, length: number): unknown {
  if (typeof value === "string") {
    return value.length <= length ? value : `${[...value.slice(0, length)].join("")}…`;
  }
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, length));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, cutTexts(member, length)]),
  );
}

function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
