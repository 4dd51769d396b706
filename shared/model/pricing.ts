/** How the official channel bills a message, in records, lists, events, history and exports. */
import * as z from "zod";
import type { AnswerOf } from "./response_fields.ts";

export const pricingSchema = z.object({
  type: z.string().nullable().meta({
    description:
      "`regular`, `free_customer_service`, `free_entry_point`, or the channel's word; null until it tells.",
  }),
  category: z.string().meta({
    description: "What it is billed as: `service`, `utility`, `marketing`, or the channel's word.",
  }),
  model: z.string().nullable().meta({
    description: "The channel's pricing model, such as `PMP`; null until it tells.",
  }),
  market: z.string().nullable().meta({
    description: "The market of the workspace's rates that the person's phone belongs to.",
  }),
  source: z.enum(["channel", "derived"]).meta({
    description:
      "Who says so: the channel, or this service by the template's category until the channel tells.",
  }),
  conversationOrigin: z.string().optional().meta({
    description: "What has opened the channel's conversation; newer versions of it do not tell.",
  }),
}).meta({
  description: "How the official channel bills the message, told with its delivery; else null.",
});

/** An amount of money. */
export const costSchema = z.object({
  amount: z.string().meta({ description: "Decimal text of the currency's unit." }),
  currency: z.string().meta({ description: "Currency of the workspace's rates, such as `USD`." }),
}).meta({
  description:
    "What the delivery cost by the workspace's rates; null until it is told, where no rate is known, and for gateways.",
});

/** What many messages cost together. Null for gateways, which bill no message. */
export const estimatedCostSchema = z.object({
  amount: z.string().meta({ description: "Decimal text of the currency's unit." }),
  currency: z.string().nullable().meta({
    description: "Currency of the workspace's rates; null where it has none.",
  }),
  unknown: z.int().min(0).meta({
    description: "Messages without a rate, which the amount leaves out.",
  }),
});

export type EstimatedCost = AnswerOf<typeof estimatedCostSchema>;

export type Cost = AnswerOf<typeof costSchema>;

export type Pricing = AnswerOf<typeof pricingSchema>;

/** The part of it that a delivery event tells. */
export type ToldPricing =
  & Pick<Pricing, "type" | "model" | "conversationOrigin">
  & { readonly category: string };
