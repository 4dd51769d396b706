import { cutCharacters } from "../model/cut_text.ts";
import { isBlank } from "../model/visible_text.ts";

/** The official channel's limit for a text, the smallest of all channels. */
export const maxAnswerCharacters = 4_096;

/** Where a text may be cut, best place first. */
const ends: readonly RegExp[] = [/\n\s*\n/g, /\n/g, /[.!?…]\s/g, /\s/g];

/**
 * Turns a model's answer into a text that every channel accepts. Cuts a longer answer after the last
 * whole paragraph, line, sentence or word that fits. Removes characters that the database cannot store.
 */
export function toSendableAnswer(text: string, maxCharacters = maxAnswerCharacters): string {
  const clean = toStorable(text).trim();
  const head = cutCharacters(clean, maxCharacters);
  if (head === clean) return clean;
  for (const end of ends) {
    // The separator stays with the text before it.
    const cut = [...head.matchAll(end)].map(({ index }) => index + 1).at(-1) ?? 0;
    if (cut > head.length / 2) return head.slice(0, cut).trimEnd();
  }
  return head;
}

/** A text without characters that the database cannot store. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "");
}

/** One blank line or several, with the end of the line before them. */
const blankLines = /\n[^\S\n]*\n\s*/g;

/**
 * Splits a model's answer at blank lines into at most `maxMessages` texts that every channel accepts. What
 * is left after the last of them stays joined in it.
 */
export function splitAnswer(text: string, maxMessages: number): string[] {
  const clean = toStorable(text).trim();
  const parts: string[] = [];
  let start = 0;
  for (const { index, 0: gap } of clean.matchAll(blankLines)) {
    if (parts.length >= maxMessages - 1) break;
    parts.push(clean.slice(start, index).trimEnd());
    start = index + gap.length;
  }
  return [...parts, clean.slice(start)].map((part) => toSendableAnswer(part))
    .filter((part) => !isBlank(part));
}
