/** The contents of a Cloud API message with their documented limits (page "Messages"). */
import * as z from "zod";
import { fillContent, type SimulatedContent } from "../records.ts";

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
  audio: z.strictObject({ ...mediaSource, errorFormat: z.boolean().optional() })
    .refine(hasOneSource, oneSource)
    .transform((media) => describeMedia("audio", media)),
  document: z.strictObject({ ...mediaSource, caption, filename: z.string().min(1).optional() })
    .refine(hasOneSource, oneSource)
    .transform((media) => describeMedia("document", media)),
};

function describeMedia(
  messageType: "image" | "video" | "audio" | "document",
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

const sectionSchema = z.strictObject({
  title: z.string().min(1).max(24).optional(),
  rows: z.array(z.strictObject({
    id: z.string().min(1).max(200),
    title: z.string().min(1).max(24),
    description: z.string().min(1).max(72).optional(),
  })).min(1),
});
const actionSchema = z.strictObject({
  button: z.string().min(1).max(20),
  sections: z.array(sectionSchema).min(1).max(10),
}).superRefine(({ sections }, refinement) => {
  const rows = sections.flatMap((section) => section.rows);
  const report = (message: string): void =>
    refinement.addIssue({ code: "custom", path: ["sections"], message });
  if (rows.length > 10) report("Total row count exceed max allowed count: 10");
  if (new Set(rows.map((row) => row.id)).size < rows.length) report("Duplicated row id");
  if (sections.length > 1 && sections.some((section) => section.title === undefined)) {
    report("Section title is required when there is more than one section");
  }
});

const listSchema = z.strictObject({
  type: z.literal("list"),
  header: z.strictObject({ type: z.literal("text"), text: z.string().min(1).max(60) }).optional(),
  body: z.strictObject({ text: z.string().min(1).max(1024) }),
  footer: z.strictObject({ text: z.string().min(1).max(60) }).optional(),
  action: actionSchema,
}).transform(({ header, body, action }) =>
  fillContent({
    messageType: "option_list",
    text: body.text,
    optionList: {
      title: header?.text ?? action.sections[0]?.title ?? "",
      buttonLabel: action.button,
      options: action.sections.flatMap((section) => section.rows).map((row) => ({
        id: row.id,
        title: row.title,
        description: row.description ?? null,
      })),
    },
  })
);

const contactRequestSchema = z.strictObject({
  type: z.literal("request_contact_info"),
  body: z.strictObject({ text: z.string().min(1).max(1024) }),
  action: z.strictObject({ name: z.literal("request_contact_info") }),
}).transform(({ body }) => fillContent({ messageType: "contact_request", text: body.text }));

/** The interactive types that this service sends: a list, and a request for the phone number. */
export const interactiveSchema: z.ZodType<SimulatedContent> = z.discriminatedUnion("type", [
  listSchema,
  contactRequestSchema,
]);

const fileSchema = z.strictObject({ ...mediaSource, filename: z.string().min(1).optional() })
  .refine(hasOneSource, oneSource);
const parameterSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string().min(1).max(32_768) }),
  z.looseObject({ type: z.literal("image"), image: fileSchema }),
  z.looseObject({ type: z.literal("video"), video: fileSchema }),
  z.looseObject({ type: z.literal("document"), document: fileSchema }),
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
    sub_type: z.enum(["url", "quick_reply", "copy_code", "flow"]),
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
  });
});
