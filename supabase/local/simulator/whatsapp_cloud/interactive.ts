/** The interactive contents of a Cloud API message with their documented limits (page "Messages"). */
import * as z from "zod";
import { fileSchema } from "./contents.ts";
import { orderDetailsSchema, orderStatusSchema } from "./orders.ts";
import { fillContent, type SimulatedContent } from "../records.ts";

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

const bodySchema = z.strictObject({ text: z.string().min(1).max(1024) });
const footerSchema = z.strictObject({ text: z.string().min(1).max(60) }).optional();
const headerSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string().min(1).max(60) }),
  z.strictObject({ type: z.literal("image"), image: fileSchema }),
  z.strictObject({ type: z.literal("video"), video: fileSchema }),
  z.strictObject({ type: z.literal("document"), document: fileSchema }),
]).optional();

/** What a header shows: its text, or the file as the message's own. */
function describeHeader(
  header: z.infer<typeof headerSchema>,
): {
  readonly header?: string;
  readonly headerType?: "image" | "video" | "document";
  readonly mediaUrl: string | null;
} {
  if (header === undefined) return { mediaUrl: null };
  if (header.type === "text") return { header: header.text, mediaUrl: null };
  const file = (header as unknown as Record<string, { link?: string; id?: string }>)[header.type];
  return { headerType: header.type, mediaUrl: file?.link ?? file?.id ?? null };
}

const buttonsSchema = z.strictObject({
  type: z.literal("button"),
  header: headerSchema,
  body: bodySchema,
  footer: footerSchema,
  action: z.strictObject({
    buttons: z.array(z.strictObject({
      type: z.literal("reply"),
      reply: z.strictObject({ id: z.string().min(1).max(256), title: z.string().min(1).max(20) }),
    })).min(1).max(3),
  }),
}).superRefine(({ action }, refinement) => {
  const ids = new Set(action.buttons.map(({ reply }) => reply.id));
  const titles = new Set(action.buttons.map(({ reply }) => reply.title));
  if (Math.min(ids.size, titles.size) === action.buttons.length) return;
  refinement.addIssue({ code: "custom", path: ["action"], message: "Duplicated button" });
}).transform(({ header, body, footer, action }) => {
  const { mediaUrl, ...shown } = describeHeader(header);
  return fillContent({
    messageType: "buttons",
    text: body.text,
    mediaUrl,
    parts: {
      ...shown,
      ...(footer === undefined ? {} : { footer: footer.text }),
      buttons: action.buttons.map(({ reply }) => reply),
    },
  });
});

const linkButtonSchema = z.strictObject({
  type: z.literal("cta_url"),
  header: headerSchema,
  body: bodySchema,
  footer: footerSchema,
  action: z.strictObject({
    name: z.literal("cta_url"),
    parameters: z.strictObject({ display_text: z.string().min(1).max(20), url: z.url() }),
  }),
}).transform(({ body, action: { parameters } }) =>
  fillContent({
    messageType: "link_button",
    text: body.text,
    parts: { linkButton: { title: parameters.display_text, url: parameters.url } },
  })
);

const locationRequestSchema = z.strictObject({
  type: z.literal("location_request_message"),
  body: bodySchema,
  action: z.strictObject({ name: z.literal("send_location") }),
}).transform(({ body }) => fillContent({ messageType: "location_request", text: body.text }));

/** The interactive types that this service sends. */
export const interactiveSchema: z.ZodType<SimulatedContent> = z.discriminatedUnion("type", [
  listSchema,
  buttonsSchema,
  linkButtonSchema,
  locationRequestSchema,
  contactRequestSchema,
  orderDetailsSchema,
  orderStatusSchema,
]);
