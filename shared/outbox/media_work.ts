/** The outbox's work on files: fetching received ones, deleting those that are wanted no more. */
import * as z from "zod";
import type { Database } from "../database/database.ts";
import type { OutboxOutcome, OutboxRow } from "../database/rpcs/outbox.ts";
import { onShutdown } from "../runtime/shutdown.ts";
import type { FetchBudget } from "./fetch_budget.ts";
import { fetchMedia, type FetchServices } from "./media_fetch.ts";
import { StorageError } from "../media/storage.ts";

export interface MediaWorkServices extends FetchServices {
  readonly database: Database;
}

/** The work of rows of each kind. It rejects for a defect; the row is due again when its lease ends. */
export interface MediaWork {
  /** Fetches the file of a row and settles the row with it. */
  fetchFile(row: OutboxRow, budget: FetchBudget): Promise<void>;
  /** Deletes the files of a row. The caller settles it. */
  deleteFiles(row: OutboxRow): Promise<OutboxOutcome>;
}

const fetchPayloadSchema = z.object({ mediaId: z.uuid() });
const deletePayloadSchema = z.object({ paths: z.array(z.string()) });

/** Creates the outbox's work on files. */
export function createMediaWork(services: MediaWorkServices): MediaWork {
  const { database, storage, log } = services;
  return {
    async fetchFile({ outboxId, claimToken, payload }, budget): Promise<void> {
      const { mediaId } = fetchPayloadSchema.parse(payload);
      const { file } = await database.rpc("begin_media_fetch", { mediaId });
      if (file === null) {
        await database.rpc("settle_outbox", { outboxId, claimToken, outcome: "done" });
        return;
      }
      const abort = new AbortController();
      const endListening = onShutdown(() => abort.abort());
      const result = await fetchMedia(services, file, { signal: abort.signal, budget })
        .finally(endListening);
      const claim = { outboxId, claimToken, mediaId };
      const settled = await database.rpc("settle_media_fetch", { ...claim, ...result });
      if (settled.isForgotten) await storage.delete([file.storagePath]);
      if (settled.status === "failed" && result.outcome !== "stored") {
        log.info("media_not_fetched", { mediaId, error: result.error.code });
      }
    },
    async deleteFiles({ payload }): Promise<OutboxOutcome> {
      const { paths } = deletePayloadSchema.parse(payload);
      try {
        await storage.delete(paths);
        return { outcome: "done" };
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        return { outcome: "retry", error: `storage_${error.reason}` };
      }
    },
  };
}
