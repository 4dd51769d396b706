import { fileKinds } from "./api_words.js";

/** The kind of a file and its words, or its name; null for what is no file. */
export function summarizeMedia({ messageType, text, fileName }) {
  const kind = fileKinds[messageType]?.name;
  if (kind === undefined) return null;
  const words = text ?? fileName ?? null;
  return words === null ? kind : `${kind}: ${words}`;
}
