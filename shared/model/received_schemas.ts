/**
 * What a received message may hold beside its words, as records, events and exports show it. Each member
 * that the channel does not tell is left out. Amounts are decimal texts of the currency's unit.
 */
import * as z from "zod";
import { instantSchema } from "./instant.ts";
import { goodsKinds } from "./payment_status.ts";

function text(description: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().meta({ description });
}

function flag(description: string): z.ZodOptional<z.ZodLiteral<true>> {
  return z.literal(true).optional().meta({ description });
}

function texts(description: string): z.ZodOptional<z.ZodArray<z.ZodString>> {
  return z.array(z.string()).optional().meta({ description });
}

function instant(description: string): z.ZodOptional<typeof instantSchema> {
  return instantSchema.optional().meta({ description });
}

const amountPattern = /^-?\d{1,18}(?:\.\d{1,6})?$/;

function amount(description: string): z.ZodOptional<z.ZodString> {
  return z.string().regex(amountPattern).optional().meta({ description });
}

export const choiceSchema = z.object({
  id: z.string().nullable().optional().meta({ description: "Id of the option." }),
  title: z.string().meta({ description: "Title of the option." }),
  description: text("The second line of a list's row."),
}).meta({ description: "The option or the button that the contact selected." });

export const locationSchema = z.object({
  latitude: z.number().min(-90).max(90).meta({ description: "Degrees north." }),
  longitude: z.number().min(-180).max(180).meta({ description: "Degrees east." }),
  name: text("Name of the place."),
  address: text("Address of the place."),
  url: text("Web address of the place."),
  isLive: flag("The position was shared live: this is where the person was at first."),
}).meta({ description: "A position." });

export const contactCardSchema = z.object({
  name: z.string().meta({ description: "Name on the card." }),
  phones: z.array(z.string()).meta({ description: "Phones as the card writes them." }),
  emails: texts("E-mail addresses."),
  organization: text("Company, with department and title where the card has them."),
  urls: texts("Web addresses."),
  addresses: texts("Postal addresses, each as one line."),
  birthday: text("Birthday, as the card writes it."),
  origin: text(
    "Where the card comes from, as the channel spells it: `contact_request` answers a request for the number.",
  ),
});

export const contactsSchema = z.array(contactCardSchema)
  .meta({ description: "Contact cards." });

export const reactionSchema = z.object({
  messageId: z.uuid().nullable().meta({
    description: "The message that it is to; null where that is not stored.",
  }),
  emoji: z.string().nullable().meta({ description: "The emoji; null takes the reaction back." }),
}).meta({ description: "A reaction to another message." });

const orderItemSchema = z.object({
  productId: text("The product's id in the catalog, the seller's own where it has one."),
  name: text("Name of the product."),
  quantity: z.number().min(0).optional().meta({ description: "How many of it." }),
  price: amount("Price of one."),
  currency: text("Currency, such as `BRL`."),
});

export const orderSchema = z.object({
  catalogId: text("Id of the catalog."),
  orderId: text("The channel's id of the order."),
  token: text("The channel's token of the order."),
  title: text("Title of the order."),
  items: z.array(orderItemSchema).meta({ description: "The ordered products." }),
  itemCount: z.int().min(0).optional().meta({
    description: "How many products, where the channel tells no items.",
  }),
  subtotal: amount("Price of all items."),
  total: amount("Price of the order."),
  currency: text("Currency of the sums."),
  note: text("What the contact wrote beside it."),
}).meta({ description: "An order from the catalog." });

export const productSchema = z.object({
  productId: text("The product's id in the catalog, the seller's own where it has one."),
  catalogId: text("Id of the catalog."),
  name: text("Name of the product."),
  description: text("Description of the product."),
  price: amount("Price."),
  currency: text("Currency, such as `BRL`."),
  url: text("Web address of the product."),
  imageUrl: text("The channel's address of its picture."),
}).meta({ description: "The product of a catalog that the message shows or asks about." });

export const flowAnswerSchema = z.object({
  name: text("The channel's name of the form."),
  token: text("The token that the form was sent with."),
  data: z.record(z.string(), z.unknown()).meta({ description: "The submitted fields." }),
}).meta({ description: "A submitted form." });

export const paymentSchema = z.object({
  kind: z.enum(["request", "payment", "declined", "canceled", "invitation", "order", "pix"])
    .meta({ description: "What it is: a request for money, a payment, the state of an order." }),
  amount: amount("Amount."),
  subtotal: amount("Price of all items, where `amount` holds more."),
  discount: amount("Discount that `amount` holds."),
  shipping: amount("Shipping that `amount` holds."),
  tax: amount("Tax that `amount` holds."),
  currency: text("Currency, such as `BRL`."),
  method: text("How it is paid, as the channel spells it."),
  transactionId: text("The channel's id of the transaction, or of the stored card."),
  lastDigits: text("The last digits of the card."),
  paidAt: instant("When it was paid, or chosen to be."),
  status: text("State of the payment, as the channel spells it."),
  orderStatus: text("State of the order, as the channel spells it."),
  referenceId: text("The channel's id of what it is about; often the same as `reference`."),
  note: text("What was written beside it."),
  expiresAt: instant("When the request ends."),
  key: text("The PIX key."),
  keyType: text("Kind of the PIX key."),
  receiver: text("Who is to receive it."),
  items: z.array(orderItemSchema).optional().meta({ description: "The products of the order." }),
  reference: text(
    "Reference of the payment or order as the channel tells it; of a request of ours the caller's own name for it.",
  ),
  goods: z.enum(goodsKinds).optional().meta({ description: "What is sold." }),
  isDynamic: flag("Whether `key` is the address of a charge, of a dynamic Pix code."),
  pixCode: text("The Pix code to copy."),
  link: text("Page where it can be paid."),
  boleto: text("Digits of the boleto's line."),
  codeMessageId: z.uuid().optional().meta({
    description:
      "Id of the message that is the Pix code alone; there once the request has left as text.",
  }),
}).meta({ description: "A request for money, a payment, or a PIX key." });

export const pollSchema = z.object({
  question: z.string().meta({ description: "The question." }),
  options: z.array(z.string()).meta({ description: "What can be voted for." }),
  maxOptions: z.int().min(0).optional().meta({
    description: "How many may be chosen; 0 for any number.",
  }),
}).meta({ description: "A poll." });

export const pollVoteSchema = z.object({
  pollId: text("The channel's id of the poll's message; `quotedMessageId` is ours."),
  options: z.array(z.string()).meta({
    description: "All that the person chooses now; none takes the vote back.",
  }),
}).meta({ description: "A vote in a poll." });

export const eventSchema = z.object({
  name: z.string().meta({ description: "Name of the event." }),
  description: text("Description of the event."),
  startsAt: instant("When it begins."),
  endsAt: instant("When it ends."),
  place: text("Where it is."),
  url: text("Web address to join by."),
  isCanceled: flag("The event is canceled."),
}).meta({ description: "An invitation to an event." });

export const eventAnswerSchema = z.object({
  eventId: text("The channel's id of the event's message; `quotedMessageId` is ours."),
  answer: z.string().meta({ description: "`going`, `not_going`, `maybe`, or the channel's word." }),
}).meta({ description: "An answer to an invitation." });

const menuItemSchema = z.object({
  kind: z.enum(["reply", "link", "phone", "code", "row", "other"])
    .meta({ description: "What a tap does." }),
  title: text("Label."),
  id: text("Id of the option."),
  description: text("Second line of a row."),
  url: text("Web address that it opens."),
  phone: text("Phone that it calls."),
  code: text("Text that it copies."),
});

export const menuSchema = z.object({
  title: text("Header."),
  body: text("Text."),
  footer: text("Footer."),
  mediaUrl: text("The channel's address of its picture, video or document."),
  items: z.array(menuItemSchema).meta({ description: "Links and options, in their order." }),
}).meta({ description: "A template, buttons or a list that another business has sent." });

export const groupInviteSchema = z.object({
  groupId: text("The channel's id of the group."),
  name: text("Name of the group."),
  code: text("Code to join by."),
  expiresAt: instant("When the invitation ends."),
}).meta({ description: "An invitation to a group or a channel." });

export const previewSchema = z.object({
  url: text("The address."),
  title: text("Title of the page."),
  description: text("Description of the page."),
}).meta({ description: "The link that the text shows a preview of." });

export const callSchema = z.object({
  kind: z.enum(["voice", "video"]).meta({ description: "Kind of the call." }),
  callId: text("The channel's id of the call."),
}).meta({ description: "A call that nobody answered." });

export const contextSchema = z.object({
  isForwarded: flag("The message was forwarded."),
  isFrequentlyForwarded: flag("The message was forwarded many times."),
  isStatusReply: flag("It answers a status of ours."),
  isBroadcast: flag("It was sent to a broadcast list."),
  mentions: texts("Who is mentioned: phones, or the channel's ids."),
  expiresInSeconds: z.int().min(1).optional().meta({
    description: "After how long it disappears at the person's phone.",
  }),
}).meta({ description: "What surrounds the message." });

export const referralSchema = z.object({
  sourceType: text("`ad` or `post`, as the channel spells it."),
  sourceId: text("Id of the ad or post."),
  sourceUrl: text("Web address of the ad or post."),
  headline: text("Headline of the ad."),
  body: text("Text of the ad."),
  clickId: text("Id of the click, for reports to the advertiser."),
  mediaUrl: text("The channel's address of the ad's picture or video."),
  imageUrl: text("The channel's address of the ad's picture, or of its video's."),
  videoUrl: text("The channel's address of the ad's video."),
  mediaType: text("`image` or `video`."),
  welcomeMessage: text("What the ad greeted the person with."),
}).meta({ description: "The ad or post that brought the person." });

export const errorsSchema = z.array(z.object({
  code: text("The channel's code."),
  title: text("The channel's words."),
  details: text("More of its words."),
})).meta({ description: "What the channel says is wrong: why a file is missing, for instance." });

export const unsupportedTypeSchema = z.string()
  .meta({ description: "The channel's name of a kind of message that it does not pass on." });

export const groupIdSchema = z.string()
  .meta({ description: "The channel's id of the group that the message was written in." });

export const viewOnceSchema = z.literal(true)
  .meta({ description: "The file can be seen once at the person's phone." });

export const gifSchema = z.literal(true).meta({ description: "The video plays as a GIF." });

export const importedSchema = z.literal(true).meta({
  description:
    "It is from before the number was connected: the business's phone has handed it over. No event told it.",
});
