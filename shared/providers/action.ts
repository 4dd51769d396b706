/**
 * What a channel can be asked beside sending: to mark messages as read, to show typing, to change a message
 * that it has sent, to block a person, to hand a conversation over. As a send, an action is one call, and its
 * outcome is data.
 */
import type { ControlAction, ControlRole } from "../model/control.ts";
import type { MessageContent } from "../model/message_content.ts";

/** One thing to ask. `to` is the chat's address, as for a send. */
export type ChannelAction =
  /** Marks received messages as read: by their ids at the provider, the newest last. */
  | {
    readonly action: "mark_read";
    readonly to: string;
    readonly providerMessageIds: readonly string[];
    /** Whether typing is shown as well; only a channel whose typing is `with_read` can. */
    readonly showsTyping: boolean;
  }
  /** Shows typing by itself, for `durationMs`; only a channel whose typing is `by_itself` can. */
  | { readonly action: "show_typing"; readonly to: string; readonly durationMs: number }
  /** Gives a sent message the words that `content` has. */
  | {
    readonly action: "edit";
    readonly to: string;
    readonly providerMessageId: string;
    readonly content: MessageContent;
  }
  /** Deletes a sent message for everyone. */
  | { readonly action: "delete"; readonly to: string; readonly providerMessageId: string }
  | { readonly action: "block" | "unblock"; readonly to: string }
  /** Asks who of the number's responders is to hold the conversation. A role is whom it is passed to. */
  | {
    readonly action: "control";
    readonly to: string;
    readonly control: ControlAction;
    readonly role?: ControlRole | undefined;
  };

/**
 * How a channel shows typing: only together with marking a message as read, by a call of its own, or only
 * before a message that it sends.
 */
export type TypingWay = "with_read" | "by_itself" | "before_sending";
