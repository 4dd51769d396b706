/** Who wrote a message in a group: the contact of such a message is the group. */
export interface MessageAuthor {
  readonly name?: string | undefined;
  /** Digits with country code. */
  readonly phone?: string | undefined;
  /** The business-scoped user id of the official channel. */
  readonly userId?: string | undefined;
  /** The username, in lower case and without `@`. */
  readonly username?: string | undefined;
  /** The hidden identity of the gateways. */
  readonly lid?: string | undefined;
}
