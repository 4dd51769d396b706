/**
 * The events of all providers in one form. A reader turns one payload into events, skips unknown
 * parts, and never throws: one malformed part must not lose the rest of a payload.
 */

/** A message that a person wrote: the contact, or somebody on the company's own phone (an echo). */
export interface MessageEvent {
  readonly kind: "message";
  /** `inbound` from the contact; `echo` typed on the phone itself, not sent through any API. */
  readonly origin: "inbound" | "echo";
  /** Of an echo: it may be a message that we sent through the provider's API. */
  readonly mayBeOurs?: boolean | undefined;
  readonly providerMessageId: string;
  /**
   * The other side: digits with country code where the provider gives a phone, else its own address
   * of that person (`...@lid`, a business-scoped user id).
   */
  readonly address: string;
  /** Further addresses of the same person (phone and LID come in pairs). */
  readonly otherAddresses: readonly string[];
  readonly contactName?: string | undefined;
  readonly messageType: InboundMessageType;
  /** Text, caption, or the title of a choice. */
  readonly message?: string | undefined;
  readonly mediaUrl?: string | undefined;
  /** The provider's id of the media, where it has to be asked for. */
  readonly mediaId?: string | undefined;
  readonly mediaFilename?: string | undefined;
  /** The option or button that was chosen. */
  readonly choice?: { readonly id: string; readonly title: string } | undefined;
  /** A reaction to another message: it needs no answer. */
  readonly isReaction?: true | undefined;
  /** Content that the channel does not show us: kept in the history, ignored by agents. */
  readonly isUnreadable?: true | undefined;
  /** An edited message under its original id: its text replaces the stored one. */
  readonly isEdit?: true | undefined;
  /** When it was written, ISO 8601; the time of receipt where the provider does not say. */
  readonly sentAt?: string | undefined;
  readonly isGroup: boolean;
  readonly chatName?: string | undefined;
}

export type InboundMessageType =
  | "text"
  | "image"
  | "audio"
  | "document"
  | "video"
  | "option_list"
  | "other";

/** The status of a message that we sent. */
export interface StatusEvent {
  readonly kind: "status";
  readonly providerMessageId: string;
  /** Our message id, where the provider carries it back (`biz_opaque_callback_data`). */
  readonly messageId?: string | undefined;
  readonly status: "sent" | "delivered" | "read" | "failed";
  readonly at?: string | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /**
   * What was sent and to whom, where the provider repeats it: it tells a message of ours whose answer
   * was lost.
   */
  readonly sent?:
    | Pick<MessageEvent, "address" | "otherAddresses" | "messageType" | "message">
    | undefined;
}

/** The official channel has decided on a template. */
export interface TemplateStatusEvent {
  readonly kind: "template_status";
  readonly providerTemplateId: string;
  /** `APPROVED`, `REJECTED`, `PAUSED`, `DISABLED`, ... in the provider's words. */
  readonly status: string;
}

/** The contact has edited a message that is known by its id alone. */
export interface MessageEditEvent {
  readonly kind: "message_edit";
  readonly providerMessageId: string;
  /** The new text. */
  readonly message: string;
}

/** A contact has changed its number or its user id. */
export interface NumberChangeEvent {
  readonly kind: "number_change";
  /** The provider's id of the event: the same one may be delivered again. */
  readonly eventId?: string | undefined;
  readonly oldAddress: string;
  readonly newAddress: string;
  /** The addresses are business-scoped user ids. */
  readonly isUserId?: true | undefined;
}

export type ProviderEvent =
  | MessageEvent
  | MessageEditEvent
  | StatusEvent
  | TemplateStatusEvent
  | NumberChangeEvent;
