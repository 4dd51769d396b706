import * as z from "zod";

/** Who wrote a message in a group: the contact of such a message is the group. */
export const messageAuthorSchema = z.object({
  name: z.string().optional(),
  /** Digits with country code. */
  phone: z.string().optional(),
  /** The business-scoped user id of the official channel. */
  userId: z.string().optional(),
  /** The username, in lower case and without `@`. */
  username: z.string().optional(),
  /** The hidden identity of the gateways. */
  lid: z.string().optional(),
});

export type MessageAuthor = Readonly<z.infer<typeof messageAuthorSchema>>;
