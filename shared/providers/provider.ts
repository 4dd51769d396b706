/**
 * The contract of every channel provider: one converter from our message to its wire format, one
 * HTTP call, and an accurate report of the outcome. A provider never retries (only the dispatcher
 * does), never accesses the database and never throws because of the server's behaviour.
 */
import type { Bytes } from "../model/bytes.ts";
import type { Issue } from "../model/errors.ts";
import type { ChannelAction, TypingWay } from "./action.ts";
import type { FilledTemplate } from "../model/filled_template.ts";
import type { RefusalMeaning, RefusalScope } from "../model/refusal_meaning.ts";
import type { FileSource } from "./webhooks/received_file.ts";
import type { MessageContent, TemplateContent } from "../model/message_content.ts";
import type { PassedRung } from "../model/outside_window.ts";

/** What one call to a provider sends. */
export interface OutboundMessage {
  /** Our message id. Sent as the correlation id if the provider supports one. */
  readonly messageId: string;
  /** Digits with country code: the address that last worked, else the phone as given. */
  readonly to: string;
  readonly content: MessageContent;
  /** The channel's id of the message that this one answers. */
  readonly quotedProviderMessageId?: string | undefined;
  /** Whether that message is one of ours; undefined where it is not known to matter. */
  readonly quotedIsOurs?: boolean | undefined;
  /** Typing simulation before sending, in milliseconds (0 to 60,000). */
  readonly delayTypingMs?: number | undefined;
  /** What it is for, of a message that goes outside the window without a template (Direct Send). */
  readonly category?: "utility" | undefined;
  /** The channel's id of the content's file, which it then does not fetch; see `FileCarrier`. */
  readonly uploadId?: string | undefined;
}

/** A file of ours that a channel takes over. */
export interface OutboundFile {
  readonly mimeType: string;
  readonly fileName: string;
  readonly content: ReadableStream<Bytes>;
}

/** The outcome of handing over a file. A refusal says nothing of any message: none was sent. */
export type FileReceipt =
  | { readonly outcome: "uploaded"; readonly kept: string }
  | Extract<Receipt, { outcome: "rejected" }>;

/** How a channel takes files over before the messages that name them. */
export interface FileCarrier {
  /** Whether the channel takes a file of this type; the others need not be called for it. */
  takesType(mimeType: string): boolean;
  /** The id of an upload that `upload` once gave as `kept`; null where it was another number's. */
  readUploadId(kept: string): string | null;
  /** Makes exactly one call. `kept` is what `readUploadId` takes. Throws for a defect only. */
  upload(file: OutboundFile, options: SendOptions): Promise<FileReceipt>;
  /** Whether a refused send says that the channel does not know the upload any more. */
  isUnknownUpload(receipt: Receipt): boolean;
}

/**
 * The outcome of one send.
 * - `accepted`: the provider took the message over.
 * - `rejected`: the provider certainly did not take it. `retryable` says whether the same message
 *   may succeed later, `scope` what the refusal is about: this message, everything to this
 *   recipient, or everything of the instance.
 * - `unknown`: the request may have been accepted (time-out or lost connection after it was
 *   written, an ambiguous server error). Never retried by itself.
 */
export type Receipt =
  | {
    readonly outcome: "accepted";
    readonly providerMessageId: string;
    /** The recipient's address as the provider knows it; may differ from what was sent to. */
    readonly waId?: string | undefined;
    /** What it says of a message that it keeps back for now, in its own word. */
    readonly channelStatus?: string | undefined;
  }
  | {
    readonly outcome: "rejected";
    readonly code: string;
    /** The provider's own error text, for `details`; free of credentials. */
    readonly message: string;
    /** What it means beyond this message; undefined for nothing. */
    readonly meaning?: RefusalMeaning | undefined;
    /** Of a message with a ladder of which no rung is left: what was wrong with each. */
    readonly rungs?: readonly PassedRung[] | undefined;
    readonly retryable: boolean;
    readonly retryAfterMs?: number | undefined;
    readonly scope: RefusalScope;
    /**
     * With scope `instance`: the instance is disconnected (session lost, or gateway down), which
     * differs from a rate limit. Its queue is held. The message loses no attempt, however long the
     * outage lasts.
     */
    readonly isOutage?: true | undefined;
    /**
     * The provider was not called because the claim was about to expire. The attempt does not
     * count, and any outcome that another process derived from the expiry is reverted.
     */
    readonly isUnsent?: true | undefined;
  }
  | { readonly outcome: "unknown"; readonly reason: string };

/**
 * The outcome of one action. `not_supported`: this channel has no such thing, for this content at least, so
 * nothing was changed. The others are those of a send.
 */
export type ActionReceipt =
  | { readonly outcome: "done" }
  | { readonly outcome: "not_supported" }
  | Exclude<Receipt, { readonly outcome: "accepted" }>;

/** The time-out of a call, and whether the call may wait for a slot. */
export interface SendOptions {
  /** Time-out of the whole call in milliseconds, including typing shown by the provider itself. */
  readonly timeoutMs: number;
  /**
   * Makes the call now, even if other calls wait for a slot at the host (see `acquireHostSlot`):
   * pacing and the send window determine this moment.
   */
  readonly bypassLimit?: boolean;
}

/** A call of an opened channel: it takes its slot from its instance's share (see `acquireHostSlot`). */
export interface ChannelCall extends SendOptions {
  readonly instanceId: string;
}

/** How a channel sends templates that it has approved. */
export interface TemplateCarrier {
  /** The values that the channel would refuse, as paths into the request. */
  check(template: FilledTemplate): Issue[];
  /** The filled template with the name and language that identify it at the channel. */
  convert(
    named: { readonly name: string; readonly language: string },
    template: FilledTemplate,
  ): TemplateContent;
}

/** One place where a received file can be had now. */
export interface FileLocation {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of a POST that answers with JSON, whose member `base64` is the file. Absent: a GET. */
  readonly post?: unknown;
  /** The instance's own address, which an admin has set: its origin need not be public. */
  readonly trustedBaseUrl: string | null;
  /** What the channel says that the file is, in lower-case hexadecimal. */
  readonly sha256?: string | undefined;
}

/** Why a channel does not say where a file is. */
export type LookupFailure = "gone" | "http_error" | "timed_out" | "connection_lost";

/**
 * Where a file is. `refused`: the channel does not say; `isGone`: because it has the file no longer.
 * `isTemporary`: it may say it later.
 */
export type FileLookup =
  | { readonly outcome: "found"; readonly locations: readonly FileLocation[] }
  | {
    readonly outcome: "refused";
    readonly reason: LookupFailure;
    readonly status: number | null;
    readonly isTemporary: boolean;
    readonly retryAfterMs: number | null;
  };

/** What a channel makes of a content, known without calling it. */
export interface ChannelFit {
  /** What it cannot carry at all; undefined for nothing. */
  readonly unsupported?: { readonly messageType: string } | { readonly field: string };
  /** Paths of what goes lost; undefined for nothing. */
  readonly reduced?: readonly string[];
  /** Whether its own form of the content is not dependably seen, so that words are better. */
  readonly prefersText?: boolean;
}

/** One instance's opened channel, with its credentials. */
export interface Provider {
  /** Sends templates as such. Null if they are sent as ordinary messages. */
  readonly templates: TemplateCarrier | null;
  /** Takes files over. Null for a channel that fetches them by their URL. */
  readonly files: FileCarrier | null;
  /**
   * Every issue for which this channel would refuse `content`, found without calling the channel.
   */
  checkContent(content: MessageContent): Issue[];
  /** What the channel makes of `content`; `isReply`: the message answers another one. */
  fitContent(content: MessageContent, isReply: boolean): ChannelFit;
  /**
   * How long the channel shows typing before such a message if `delayTypingMs` is requested, in
   * milliseconds. 0 if it cannot show typing.
   */
  limitTypingMs(delayTypingMs: number, content: MessageContent): number;
  /**
   * Finds where a received file can be fetched, the best place first; the others are for where that one
   * may not be called. Makes at most one call. Throws for a defect only.
   */
  locateFile(source: FileSource, options: { readonly timeoutMs: number }): Promise<FileLookup>;
  /** Makes exactly one call. Throws for a defect only. */
  send(message: OutboundMessage, options: SendOptions): Promise<Receipt>;
  /** How it shows typing without a message. */
  readonly typing: TypingWay;
  /**
   * Asks the channel for something else than a send. Makes one call, or one for each message that it marks as
   * read where the channel takes them singly; none for what it has not. Throws for a defect only.
   */
  act(action: ChannelAction, options: SendOptions): Promise<ActionReceipt>;
}
