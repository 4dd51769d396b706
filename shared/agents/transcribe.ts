/** The outbox's work on voice messages: their words, for the history and for the agent. */
import * as z from "zod";
import type { Database } from "../database/database.ts";
import type { FileToWrite } from "../database/rpcs/media.ts";
import type { OutboxRow } from "../database/rpcs/outbox.ts";
import { extensionOfType } from "../media/media_rules.ts";
import { type MediaStorage, StorageError } from "../media/storage.ts";
import type { AskTranscriber, Transcription } from "./transcriber.ts";

export interface TranscriptionServices {
  readonly database: Database;
  readonly storage: MediaStorage;
  readonly askTranscriber: AskTranscriber;
}

/** Does the work of a row and settles it. A failure changes nothing but that there are no words. */
export type TranscribeRow = (row: OutboxRow) => Promise<void>;

const payloadSchema = z.object({ mediaId: z.uuid() });

/** Creates the outbox's work on voice messages. */
export function createTranscriptions(services: TranscriptionServices): TranscribeRow {
  const { database } = services;
  return async ({ outboxId, claimToken, payload }) => {
    const { mediaId } = payloadSchema.parse(payload);
    const { file } = await database.rpc("begin_transcription", { mediaId });
    const result = file === null ? { text: null } : await transcribe(services, file);
    await database.rpc("settle_transcription", {
      ...{ outboxId, claimToken, mediaId },
      ...("error" in result
        ? { outcome: "retry", transcript: null, error: result.error }
        : { outcome: "done", transcript: result.text, error: null }),
    });
  };
}

async function transcribe(
  { storage, askTranscriber }: TranscriptionServices,
  { storagePath, mimeType, mediaId }: FileToWrite,
): Promise<Transcription> {
  try {
    const body = await storage.open(storagePath);
    if (body === null) return { text: null };
    const extension = extensionOfType(mimeType) ?? "ogg";
    return await askTranscriber({ body, mimeType, fileName: `${mediaId}.${extension}` });
  } catch (error) {
    if (error instanceof StorageError) return { error: `storage_${error.reason}` };
    throw error;
  }
}
