/** What a number may do, as its channel tells: answers, events and the database's records follow. */
import * as z from "zod";
import { instantSchema } from "./instant.ts";

/** From what the speed of an official number follows. */
export const allowanceSources = ["throughput", "coexistence", "default"] as const;

/** The most that any number may send in a second. */
export const mostMessagesPerSecond = 1_000;

export const allowanceSchema = z.object({
  messagesPerSecond: z.int().min(1).max(mostMessagesPerSecond).nullable().meta({
    description: "How many messages a second the number may send; null for a gateway.",
  }),
  source: z.enum(allowanceSources).nullable().meta({
    description:
      "From what that follows: `throughput`, the level that the official channel told; `coexistence`, because the number is also used in the WhatsApp Business app; `default`, as long as the channel told neither. Null for a gateway.",
  }),
  newChats: z.object({
    used: z.int().min(0).nullable().meta({
      description: "How many were opened; null where it is not known, as after `until`.",
    }),
    quota: z.int().min(0).meta({ description: "How many may be opened until then." }),
    until: instantSchema.nullable().meta({ description: "When the quota begins anew." }),
  }).nullable().meta({
    description:
      "How many new chats WhatsApp lets the number open; null where it told no such quota.",
  }),
  timeLock: z.object({
    isActive: z.boolean().meta({ description: "Whether new chats are locked now." }),
    until: instantSchema.nullable().meta({ description: "Its end; null where none was told." }),
    kind: z.string().nullable().meta({ description: "WhatsApp's word, such as `DEFAULT`." }),
  }).nullable().meta({
    description:
      "WhatsApp's lock on new chats, as it was told last; null where none was told. Chats that are open go on.",
  }),
});

/** What a provider has told of it. Absent members: nothing; a null one: there is none any more. */
export interface ToldAllowance {
  /** The level's name: `STANDARD`, `HIGH`, `NOT_APPLICABLE`. */
  readonly throughput?: string;
  readonly isOnBusinessApp?: boolean;
  readonly newChats?: {
    readonly used: number | null;
    readonly quota: number;
    readonly until: string | null;
  } | null;
  readonly timeLock?: {
    readonly isActive: boolean;
    readonly until: string | null;
    readonly kind: string | null;
  };
}
