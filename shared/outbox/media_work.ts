/** The outbox's work on files: fetching received ones, deleting those that are wanted no more. */
import * as z from "zod";
import type { Database } from "../database/database.ts";
import type { ClaimedFetch, FileToFetch } from "../database/rpcs/media.ts";
import type { OutboxOutcome, OutboxRow } from "../database/rpcs/outbox.ts";
import { onShutdown } from "../runtime/shutdown.ts";
import type { FetchBudget } from "./fetch_budget.ts";
import { fetchMedia, type FetchServices } from "./media_fetch.ts";
import { StorageError } from "../media/storage.ts";

export interface MediaWorkServices extends FetchServices {
  readonly database: Database;
}

/** A fetch may end after 120 s. A row whose worker died becomes due again after it. */
const leaseSeconds = 150;

/** The outbox's work on files. It rejects for a defect; the row is due again when its lease ends. */
export interface MediaWork {
  /** Claims received files that are due to be fetched, those of `crowding` instances not. */
  claimFiles(
    maxFiles: number,
    crowding?: readonly string[],
  ): Promise<readonly ClaimedFetch[]>;
  /**
   * Fetches a file, settles its row, and claims the next file with it.
   *
   * @param takesNext asked when the file has been fetched: whether the worker goes on.
   * @param crowding asked with it: the instances whose files wait.
   * @returns the next file; null for none.
   */
  fetchFile(
    claimed: ClaimedFetch,
    budget: FetchBudget,
    options: {
      readonly takesNext: () => boolean;
      readonly crowding?: () => readonly string[] | undefined;
    },
  ): Promise<ClaimedFetch | null>;
  /** Deletes the files of a row. The caller settles it. */
  deleteFiles(row: OutboxRow): Promise<OutboxOutcome>;
}

const deletePayloadSchema = z.object({ paths: z.array(z.string()) });

/** Creates the outbox's work on files. */
export function createMediaWork(services: MediaWorkServices): MediaWork {
  const { database, storage, log } = services;
  /** The outbox deletes it too, some minutes later: see `delete_media_files`. */
  const deleteForgotten = async ({ mediaId, storagePath }: FileToFetch): Promise<void> => {
    try {
      await storage.delete([storagePath]);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      log.error("media_storage_failed", { mediaId, reason: error.reason });
    }
  };
  return {
    async claimFiles(maxFiles, crowding): Promise<readonly ClaimedFetch[]> {
      const request = { maxRows: maxFiles, leaseSeconds, crowdingInstances: crowding };
      return (await database.rpc("claim_media_fetches", request)).files;
    },
    async fetchFile(
      { outboxId, claimToken, file },
      budget,
      { takesNext, crowding },
    ): Promise<ClaimedFetch | null> {
      const { mediaId } = file;
      const abort = new AbortController();
      const endListening = onShutdown(() => abort.abort());
      const result = await fetchMedia(services, file, { signal: abort.signal, budget })
        .finally(endListening);
      const settled = await database.rpc("settle_media_fetch", {
        ...{ outboxId, claimToken, mediaId },
        ...result,
        nextLeaseSeconds: takesNext() ? leaseSeconds : null,
        crowdingInstances: crowding?.(),
      });
      if (settled.isForgotten) await deleteForgotten(file);
      if (settled.status === "failed" && result.outcome !== "stored") {
        log.info("media_not_fetched", { mediaId, error: result.error.code });
      }
      return settled.next;
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
