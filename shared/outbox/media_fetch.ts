/** Fetches a received file from its provider and stores it: one attempt. */
import type { FetchOutcome, FileToFetch, MediaError } from "../database/rpcs/media.ts";
import type { OpenProvider } from "../providers/open_provider.ts";
import type { FileLocation, LookupFailure } from "../providers/provider.ts";
import { describeDefect, type Log } from "../runtime/log.ts";
import type { FetchBudget } from "./fetch_budget.ts";
import { decodeBase64Member } from "../media/base64_member.ts";
import { type CheckedFile, openFile } from "../media/checked_file.ts";
import { type FetchedFile, fetchFile, type FetchRules } from "../media/fetch_file.ts";
import { MediaFault } from "../media/media_fault.ts";
import { servedType } from "../media/served_type.ts";
import { type MediaStorage, StorageError } from "../media/storage.ts";

export interface FetchServices {
  readonly storage: MediaStorage;
  readonly openProvider: OpenProvider;
  readonly rules: FetchRules;
  /** Time limit of asking a provider where a file is. */
  readonly providerTimeoutMs: number;
  readonly log: Log;
}

/** Bounds of one attempt. */
export interface FetchBounds {
  /** Ends the attempt, which does not count then. */
  readonly signal: AbortSignal;
  /** What the worker may fetch now. */
  readonly budget: FetchBudget;
}

/** The worker has no room for a file of this size now. */
class TooMuchForNow extends Error {}

/**
 * Fetches and stores a file, once. Never throws: the outcome says whether and when to try again.
 */
export async function fetchMedia(
  services: FetchServices,
  file: FileToFetch,
  { signal, budget }: FetchBounds,
): Promise<FetchOutcome> {
  try {
    const checked = await openReceived(services, file, budget);
    await store(services.storage, file, checked, signal);
    const { size, sha256 } = checked.facts();
    return {
      outcome: "stored",
      mimeType: checked.mimeType,
      size,
      sha256,
      asksTranscript: file.isVoice,
    };
  } catch (error) {
    return judge(services.log, file, error, signal);
  }
}

async function openReceived(
  services: FetchServices,
  file: FileToFetch,
  budget: FetchBudget,
): Promise<CheckedFile> {
  const provider = await services.openProvider(file);
  const lookup = await provider.locateFile(file.source, {
    timeoutMs: services.providerTimeoutMs,
  });
  if (lookup.outcome === "refused") throw new LookupFault(lookup);
  const { fetched, location } = await fetchFirst(services, lookup.locations);
  const { body, contentLength, contentType } = fetched;
  if (!budget.takeSize(contentLength ?? 0)) {
    await body.cancel().catch(() => {});
    throw new TooMuchForNow();
  }
  const isJson = location.post !== undefined;
  return await openFile({
    body: isJson ? decodeBase64Member(body) : body,
    contentLength: isJson ? null : contentLength,
    contentType: file.mimeType ?? (isJson ? null : contentType),
    fileName: file.filename,
  }, { kind: file.kind, sha256: file.sha256 ?? location.sha256 ?? null });
}

/** Faults of a place that may not be called, or cannot. */
const unusablePlace: ReadonlySet<string> = new Set([
  "invalid_url",
  "private_host",
  "host_not_found",
]);

interface FetchedFrom {
  readonly fetched: FetchedFile;
  readonly location: FileLocation;
}

/** The file from the first place that may be called. */
async function fetchFirst(
  { rules }: FetchServices,
  locations: readonly FileLocation[],
): Promise<FetchedFrom> {
  let fault: unknown = new MediaFault("gone");
  for (const location of locations) {
    try {
      return { fetched: await fetchFile(location, rules), location };
    } catch (error) {
      fault = error;
      if (!(error instanceof MediaFault) || !unusablePlace.has(error.reason)) throw error;
    }
  }
  throw fault;
}

async function store(
  storage: MediaStorage,
  { storagePath }: FileToFetch,
  checked: CheckedFile,
  signal: AbortSignal,
): Promise<void> {
  try {
    const contentType = servedType(checked.mimeType);
    await storage.put(storagePath, checked.body, { contentType, signal });
  } catch (error) {
    await checked.body.cancel(error).catch(() => {});
    throw error;
  }
}

/** What the channel says when it is asked where the file is, as a fault. */
class LookupFault extends MediaFault {
  override readonly isTemporary: boolean;
  constructor(
    { reason, status, retryAfterMs, isTemporary }: {
      readonly reason: LookupFailure;
      readonly status: number | null;
      readonly retryAfterMs: number | null;
      readonly isTemporary: boolean;
    },
  ) {
    super(reason, status, retryAfterMs);
    this.isTemporary = isTemporary;
  }
}

function judge(log: Log, file: FileToFetch, error: unknown, signal: AbortSignal): FetchOutcome {
  const { mediaId } = file;
  if (signal.aborted) return retry(interrupted, { isOutage: true });
  if (error instanceof TooMuchForNow) return retry(postponed, { isOutage: true });
  if (error instanceof MediaFault) return judgeFault(file, error);
  if (error instanceof StorageError) {
    log.error("media_storage_failed", { mediaId, reason: error.reason });
    return error.reason === "too_large"
      ? { outcome: "failed", error: storageTooSmall }
      : retry(storageAway, { isOutage: true });
  }
  log.error("media_fetch_crashed", { mediaId, ...describeDefect(error) });
  return retry(defect, {});
}

function judgeFault(file: FileToFetch, fault: MediaFault): FetchOutcome {
  const { reason, message, retryAfterMs } = fault;
  const error: MediaError = { code: reason, message };
  if (reason === "gone") return { outcome: "expired", error };
  // The transfer may have spoiled it, once.
  const mayDiffer = reason === "wrong_sha256" && !file.hadWrongSha256;
  return fault.isTemporary || mayDiffer
    ? retry(error, { retryAfterMs })
    : { outcome: "failed", error };
}

function retry(
  error: MediaError,
  { retryAfterMs = null, isOutage = false }: {
    readonly retryAfterMs?: number | null;
    readonly isOutage?: boolean;
  },
): FetchOutcome {
  return { outcome: "retry", error, retryAfterMs, isOutage };
}

const interrupted: MediaError = {
  code: "interrupted",
  message: "The service was stopped while it fetched the file.",
};
const postponed: MediaError = {
  code: "postponed",
  message: "The file is large and waits for others.",
};
const storageAway: MediaError = {
  code: "storage_unavailable",
  message: "The file could not be stored.",
};
const storageTooSmall: MediaError = {
  code: "storage_limit",
  message: "The file is larger than the storage takes.",
};
const defect: MediaError = {
  code: "internal_error",
  message: "The file could not be fetched because of an internal error.",
};
