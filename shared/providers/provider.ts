/**
 * What every channel provider promises: one converter from our message to its wire format, one
 * HTTP call, and an honest account of the outcome. A provider never retries (the dispatcher alone
 * does), never touches the database and never throws for what the other side does.
 */
import type { Issue } from "../model/errors.ts";
import type { FilledTemplate } from "../model/filled_template.ts";
import type { MessageContent, TemplateContent } from "../model/message_content.ts";

/** What one call to a provider sends. */
export interface OutboundMessage {
  /** Our message id: sent along as the correlation id where the provider keeps one. */
  readonly messageId: string;
  /** Digits with country code: the address last proven to work, else the phone as given. */
  readonly to: string;
  readonly content: MessageContent;
  /** Typing simulation before sending, in milliseconds (0 to 60,000). */
  readonly delayTypingMs?: number | undefined;
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
  }
  | {
    readonly outcome: "rejected";
    readonly code: string;
    /** The provider's own words, for `details`; free of credentials. */
    readonly message: string;
    readonly retryable: boolean;
    readonly retryAfterMs?: number | undefined;
    readonly scope: "message" | "recipient" | "instance";
    /**
     * Of scope `instance`: the instance is cut off (its session is gone, or the gateway is down), which
     * is not a rate limit. Its queue is held and the message loses no attempt, however long it lasts.
     */
    readonly isOutage?: true | undefined;
    /**
     * The provider was not called because the claim was nearly over: the attempt does not count, and
     * what another process has concluded from the end of the claim is taken back.
     */
    readonly isUnsent?: true | undefined;
  }
  | { readonly outcome: "unknown"; readonly reason: string };

/** How long a call may take, and whether it may wait its turn. */
export interface SendOptions {
  /** Bound on the whole call, typing included by the provider itself; in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Makes the call now, even while others wait for a slot at the host (see `acquireHostSlot`):
   * pacing and the send window have chosen this moment.
   */
  readonly bypassLimit?: boolean;
}

/** How a channel carries templates that it has approved before. */
export interface TemplateCarrier {
  /** The values that the channel would refuse; paths into the request. */
  check(template: FilledTemplate): Issue[];
  /** The filled template under the name and language that the channel knows it by. */
  convert(
    named: { readonly name: string; readonly language: string },
    template: FilledTemplate,
  ): TemplateContent;
}

/** One opened channel, with its credentials. */
export interface Provider {
  /** What sends templates as such; null where they are sent as ordinary messages. */
  readonly templates: TemplateCarrier | null;
  /** Everything about `content` that this channel would refuse, found without calling it. */
  checkContent(content: MessageContent): Issue[];
  /**
   * How long the channel shows typing before such a message, when asked for `delayTypingMs`; 0
   * where it cannot. In milliseconds.
   */
  limitTypingMs(delayTypingMs: number, content: MessageContent): number;
  /** Makes one call and never a second one. Throws for a defect only. */
  send(message: OutboundMessage, options: SendOptions): Promise<Receipt>;
}
