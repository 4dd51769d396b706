/** The contents of a Cloud API message with their documented limits (page "Messages"). */
import * as z from "zod";
import { fillContent, type SimulatedContent } from "../records.ts";
import { paymentActions } from "./orders.ts";

const caption = z.string().max(1024).optional();
const mediaSource = {
  id: z.string().min(1).optional(),
  link: z.string().regex(/^https?:\/\/\S+$/, "is not a valid URL").optional(),
};

function hasOneSource(media: { id?: string | undefined; link?: string | undefined }): boolean {
  return (media.id === undefined) !== (media.link === undefined);
}
const oneSource = "exactly one of id and link is required";

const captioned = z.strictObject({ ...mediaSource, caption }).refine(hasOneSource, oneSource);

/** Audio has neither caption nor file name; only a document has a file name. */
export const mediaSchemas: Readonly<Record<string, z.ZodType<SimulatedContent>>> = {
  image: captioned.transform((media) => describeMedia("image", media)),
  video: captioned.transform((media) => describeMedia("video", media)),
  audio: z.strictObject({
    ...mediaSource,
    errorFormat: z.boolean().optional(),
    voice: z.boolean().optional(),
  })
    .refine(hasOneSource, oneSource)
    .transform((media) => describeMedia(media.voice === true ? "voice" : "audio", media)),
  sticker: z.strictObject(mediaSource).refine(hasOneSource, oneSource)
    .transform((media) => describeMedia("sticker", media)),
  document: z.strictObject({ ...mediaSource, caption, filename: z.string().min(1).optional() })
    .refine(hasOneSource, oneSource)
    .transform((media) => describeMedia("document", media)),
};

function describeMedia(
  messageType: "image" | "video" | "audio" | "document" | "sticker" | "voice",
  media: {
    readonly id?: string | undefined;
    readonly link?: string | undefined;
    readonly caption?: string | undefined;
    readonly filename?: string | undefined;
  },
): SimulatedContent {
  return fillContent({
    messageType,
    mediaUrl: media.link ?? media.id ?? null,
    text: media.caption ?? null,
    fileName: media.filename ?? null,
  });
}

/** A file within another part of a message. */
export const fileSchema = z.strictObject({ ...mediaSource, filename: z.string().min(1).optional() })
  .refine(hasOneSource, oneSource);
export const locationSchema: z.ZodType<SimulatedContent> = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  name: z.string().min(1).optional(),
  address: z.string().min(1).optional(),
}).transform((location) => fillContent({ messageType: "location", parts: { location } }));

/** A name needs a part beside `formatted_name`. */
const nameSchema = z.strictObject({
  formatted_name: z.string().min(1),
  first_name: z.string().min(1).optional(),
  last_name: z.string().min(1).optional(),
}).refine(
  ({ first_name, last_name }) => (first_name ?? last_name) !== undefined,
  "a name needs one more part",
);

export const contactsSchema: z.ZodType<SimulatedContent> = z.array(z.strictObject({
  name: nameSchema,
  phones: z.array(z.strictObject({
    phone: z.string().min(1),
    type: z.string().optional(),
    wa_id: z.string().regex(/^\d+$/).optional(),
  })).min(1),
  emails: z.array(z.strictObject({ email: z.string(), type: z.string().optional() })).optional(),
  org: z.strictObject({ company: z.string() }).optional(),
  urls: z.array(z.strictObject({ url: z.string(), type: z.string().optional() })).optional(),
})).min(1).transform((cards) => {
  const contacts = cards.map(({ name, phones, emails, org, urls }) => ({
    name: name.formatted_name,
    phones: phones.map(({ phone }) => phone),
    ...(emails === undefined ? {} : { emails: emails.map(({ email }) => email) }),
    ...(org === undefined ? {} : { organization: org.company }),
    ...(urls === undefined ? {} : { urls: urls.map(({ url }) => url) }),
  }));
  return fillContent({ messageType: "contacts", parts: { contacts } });
});
const parameterSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string().min(1).max(32_768) }),
  z.looseObject({ type: z.literal("image"), image: fileSchema }),
  z.looseObject({ type: z.literal("video"), video: fileSchema }),
  z.looseObject({ type: z.literal("document"), document: fileSchema }),
  z.strictObject({
    type: z.literal("action"),
    action: z.strictObject({
      ...paymentActions,
      flow_token: z.string().min(1).optional(),
      flow_action_data: z.looseObject({}).optional(),
    }),
  }),
  z.looseObject({ type: z.literal("payload"), payload: z.string().min(1).max(128) }),
  z.looseObject({ type: z.literal("currency"), currency: z.looseObject({}) }),
  z.looseObject({ type: z.literal("date_time"), date_time: z.looseObject({}) }),
]);
const parameters = z.array(parameterSchema);
const componentSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("header"), parameters: parameters.min(1).max(1) }),
  z.strictObject({ type: z.literal("body"), parameters }),
  z.strictObject({
    type: z.literal("button"),
    sub_type: z.enum([
      ...["url", "quick_reply", "copy_code", "flow", "order_details", "payment_request"] as const,
    ]),
    index: z.union([z.string().regex(/^\d$/), z.int().min(0).max(9)]),
    parameters: parameters.min(1),
  }),
]);

/** A template. `text` lists its parameters, because the approved wording is unknown here. */
export const templateSchema: z.ZodType<SimulatedContent> = z.object({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/),
  language: z.object({ code: z.string().regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/) }),
  components: z.array(componentSchema).default([]),
}).transform(({ name, language, components }) => {
  const body = components.find((component) => component.type === "body");
  const values = body?.parameters.map((parameter) => "text" in parameter ? parameter.text : "…");
  return fillContent({
    messageType: "template",
    text: values === undefined || values.length === 0 ? null : values.join(" · "),
    template: { name, language: language.code, components },
    parts: readPayment(components),
  });
});

/** What the payment buttons show: an order, or nothing but what each copies or opens. */
function readPayment(
  components: readonly z.infer<typeof componentSchema>[],
): SimulatedContent["parts"] {
  const actions = components.flatMap(({ parameters }) =>
    parameters.flatMap((parameter) => parameter.type === "action" ? [parameter.action] : [])
  );
  const order = actions.find(({ order_details }) => order_details !== undefined)?.order_details;
  if (order !== undefined) return { payment: order };
  const means = actions.flatMap(({ payment_request }) => payment_request ?? []);
  if (means.length === 0) return {};
  return { payment: Object.assign({ reference: null, amount: null, items: [] }, ...means) };
}
