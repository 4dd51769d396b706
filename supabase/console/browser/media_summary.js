import { say } from "./words.js";

/** Kinds of files, by the type of their message. */
export const mediaNames = {
  image: say("Image"),
  audio: say("Audio"),
  video: say("Video"),
  document: say("Document"),
};

/** The kind of a file and its words, or its name; null for what is no file. */
export function summarizeMedia({ messageType, text, fileName }) {
  const kind = mediaNames[messageType];
  if (kind === undefined) return null;
  const words = text ?? fileName ?? null;
  return words === null ? kind : `${kind}: ${words}`;
}
