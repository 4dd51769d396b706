/** A message's file on its way out: as a link for channels that fetch, handed over to the others. */
import type { Database } from "../database/database.ts";
import type { SendableFile } from "../database/rpcs/media_uploads.ts";
import type { MediaLinks } from "../media/links.ts";
import { extensionOfType } from "../media/media_rules.ts";
import type { LoadLinks } from "../media/open_links.ts";
import type { MediaStorage } from "../media/storage.ts";
import type { ContentParts } from "../model/message_content.ts";
import type { FileCarrier, Provider, Receipt } from "../providers/provider.ts";
import { describeDefect, type Log } from "../runtime/log.ts";
import { isStillStored } from "./lost_files.ts";

/** Where files lie, and the links to them. */
export interface MessageFiles {
  readonly storage: MediaStorage;
  readonly loadLinks: LoadLinks;
}

export interface FileServices {
  readonly database: Database;
  readonly files: MessageFiles;
  readonly log: Log;
}

/**
 * Time limit of handing over a file: 100 MB at 14 Mbit/s. It leaves time for the send within the 150 s
 * that the hosted runtime gives a request.
 */
const uploadTimeoutMs = 60_000;

/** The files that a message may send: its own, and those of its ladder's headers. */
export interface FilesOfDraft {
  readonly file?: SendableFile | undefined;
  readonly headerFiles?: ReadonlyMap<string, { readonly file: SendableFile | null }> | undefined;
}

/** How long handing a message's file over may take: 0 without a file, and on a channel that fetches it. */
export function limitHandingOverMs(
  provider: Pick<Provider, "files"> | null,
  draft: FilesOfDraft | null,
): number {
  if (provider === null || provider.files === null || draft === null) return 0;
  const ofHeaders = [...draft.headerFiles?.values() ?? []].some(({ file }) => file !== null);
  return draft.file !== undefined || ofHeaders ? uploadTimeoutMs : 0;
}

/**
 * A new link to a message's file, which works for as long as a channel may take to fetch it. Its path
 * ends in a name with the file's extension, by which gateways tell what it is.
 */
export function linkFile(
  mediaId: string,
  file: Pick<SendableFile, "mimeType"> | null,
  links: MediaLinks,
): string {
  const extension = extensionOfType(file?.mimeType ?? "");
  return links.create(mediaId, undefined, extension === null ? undefined : `file.${extension}`);
}

/** The content of a stored message with a new link to its file. */
export function linkContent(
  content: ContentParts | null,
  file: SendableFile,
  links: MediaLinks,
): ContentParts {
  return { ...content, mediaUrl: linkFile(file.mediaId, file, links) };
}

/** A message's file on its way to a channel. */
export interface LeavingFile {
  readonly provider: Provider;
  /** Null for a message without a file of ours. */
  readonly file: SendableFile | null;
  /** Whether the message has waited since its file was looked at: it may be gone meanwhile. */
  readonly hasWaited: boolean;
}

/**
 * Sends a message with its file: looks at the file of one that has waited, hands it over to a channel
 * that takes files, sends, and reads from the receipt whether the channel still knew an earlier upload.
 *
 * @param send makes the one call, with the channel's id of the file where it has one.
 */
export async function sendFile(
  services: FileServices,
  { provider, file, hasWaited }: LeavingFile,
  send: (uploadId: string | undefined) => Promise<Receipt>,
): Promise<Receipt> {
  if (file === null) return await send(undefined);
  const refusal = hasWaited ? await refuseMissingFile(services, provider, file) : null;
  if (refusal !== null) return refusal;
  const handedOver = await handOverFile(services, provider, file);
  if ("outcome" in handedOver) return handedOver;
  const receipt = await send(handedOver.uploadId);
  return await reviewReceipt(services, { provider, file, handedOver, receipt });
}

/**
 * Why a message that has waited cannot leave: its file is gone since it was accepted. Null where it is there.
 * Asks the storage where the channel fetches the file: it would find out when the message has left.
 */
async function refuseMissingFile(
  { database, files: { storage }, log }: FileServices,
  provider: Provider,
  file: SendableFile,
): Promise<Receipt | null> {
  if (file.status !== "stored") return fileIsGone;
  if (provider.files !== null) return null;
  try {
    return await isStillStored({ database, storage }, file) ? null : fileIsGone;
  } catch (error) {
    log.error("media_look_failed", { mediaId: file.mediaId, ...describeDefect(error) });
    return storageIsAway;
  }
}

/** What a send names in place of a link; nothing for a channel that fetches. */
interface HandedOver {
  readonly uploadId?: string | undefined;
  /** Whether the channel has had it since an earlier send, and may have forgotten it. */
  readonly isReused?: boolean | undefined;
}

/**
 * Hands a file over to a channel that takes files, once for all messages that name it: an earlier upload
 * is used again. Nothing is sent here, so a lost answer costs another upload, never another message.
 * A rejected receipt: the message cannot leave now.
 */
async function handOverFile(
  services: FileServices,
  provider: Provider,
  file: SendableFile,
): Promise<HandedOver | Receipt> {
  const carrier = provider.files;
  if (carrier === null) return {};
  const known = file.providerUploadId === null ? null : carrier.readUploadId(file.providerUploadId);
  if (known !== null) return { uploadId: known, isReused: true };
  try {
    return await upload(services, carrier, file);
  } catch (error) {
    services.log.error("media_upload_failed", {
      mediaId: file.mediaId,
      ...describeDefect(error),
    });
    return storageIsAway;
  }
}

async function upload(
  { database, files, log }: FileServices,
  carrier: FileCarrier,
  file: SendableFile,
): Promise<HandedOver | Receipt> {
  const { mediaId, mimeType, storagePath } = file;
  const content = storagePath === null ? null : await files.storage.open(storagePath);
  if (content === null) await database.rpc("expire_lost_media", { mediaId });
  if (content === null || mimeType === null) return fileIsGone;
  const extension = extensionOfType(mimeType) ?? "bin";
  const receipt = await carrier.upload(
    { mimeType, fileName: `${mediaId}.${extension}`, content },
    { timeoutMs: uploadTimeoutMs },
  );
  if (receipt.outcome === "rejected") return receipt;
  const { kept } = receipt;
  await database.rpc("keep_provider_upload", { mediaId, providerUploadId: kept })
    // The next send uploads again.
    .catch((error) => log.error("media_upload_id_dropped", { mediaId, ...describeDefect(error) }));
  return { uploadId: carrier.readUploadId(kept) ?? undefined };
}

/**
 * What a send's receipt means where the channel no longer knew an upload that was used again: it is
 * forgotten, and the message can be tried again with a new one.
 */
async function reviewReceipt(
  { database, log }: FileServices,
  { provider, file, handedOver, receipt }: {
    readonly provider: Provider;
    readonly file: SendableFile;
    readonly handedOver: HandedOver;
    readonly receipt: Receipt;
  },
): Promise<Receipt> {
  const isUnknown = handedOver.isReused === true && provider.files?.isUnknownUpload(receipt);
  if (!isUnknown || receipt.outcome !== "rejected") return receipt;
  const { mediaId } = file;
  try {
    await database.rpc("keep_provider_upload", { mediaId, providerUploadId: null });
  } catch (error) {
    log.error("media_upload_id_dropped", { mediaId, ...describeDefect(error) });
    return receipt;
  }
  return { ...receipt, retryable: true };
}

const fileIsGone: Receipt = {
  outcome: "rejected",
  code: "media_expired",
  message: "The message's file is gone.",
  retryable: false,
  scope: "message",
};

const storageIsAway: Receipt = {
  outcome: "rejected",
  code: "media_unavailable",
  message: "The message's file could not be read. The message was not sent.",
  retryable: true,
  scope: "message",
};
