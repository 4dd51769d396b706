/** The files that a send names by their ids: Meta takes those alone that it has given itself. */
import type { FileStore } from "../file_store.ts";
import type { GraphError } from "./errors.ts";

const mediaTypes = ["image", "video", "audio", "document", "sticker"];

/** Names the first id in a body that no upload and no received file has; null where there is none. */
export function findForeignMediaId(files: FileStore, body: unknown): GraphError | null {
  for (const { type, id } of listMediaIds(body)) {
    if (files.get(id) !== undefined) continue;
    const details =
      `Param ${type}['id'] is not a valid whatsapp business account media attachment ID`;
    return { status: 400, code: 100, title: "Invalid parameter", details };
  }
  return null;
}

/** Of the message itself, of an interactive header, and of a template's header, at any depth. */
function* listMediaIds(value: unknown): Iterable<{ readonly type: string; readonly id: string }> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const id = mediaTypes.includes(name) && (member as { id?: unknown } | null)?.id;
    if (typeof id === "string") yield { type: name, id };
    yield* listMediaIds(member);
  }
}
