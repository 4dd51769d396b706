/** What every channel carries: the official one's bound for a text, the narrowest of them. */
const maxCharacters = 4_096;

/** Where a text may be cut, the best place first. */
const ends: readonly RegExp[] = [/\n\s*\n/g, /\n/g, /[.!?…]\s/g, /\s/g];

/**
 * What a model said as a message that any channel takes: of a longer one as many whole paragraphs,
 * lines, sentences or words as fit, of characters that no text may hold none.
 */
export function toSendableAnswer(text: string): string {
  const clean = text.toWellFormed().replaceAll("\u0000", "").trim();
  const characters = [...clean];
  if (characters.length <= maxCharacters) return clean;
  const head = characters.slice(0, maxCharacters).join("");
  for (const end of ends) {
    // The end itself stays with what stands before it.
    const cut = [...head.matchAll(end)].map(({ index }) => index + 1).at(-1) ?? 0;
    if (cut > head.length / 2) return head.slice(0, cut).trimEnd();
  }
  return head;
}
