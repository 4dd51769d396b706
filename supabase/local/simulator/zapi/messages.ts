import * as z from "zod";
import { fillContent, type SimulatedContent } from "../records.ts";

/** A validated send, in the same form for every path. */
export interface ZapiSend {
  readonly to: string;
  readonly typingMs: number;
  readonly replyTo: string | null;
  readonly content: SimulatedContent;
}

const nonEmpty = z.string().min(1, "must not be empty");
const optionalText = z.string().optional();
const seconds = z.int().min(0).max(15).optional();
const envelope = {
  phone: z.string().regex(/^\d{8,15}$/, "must be digits with country code"),
  delayMessage: seconds,
  delayTyping: seconds,
  messageId: optionalText,
};
const media = z.string().regex(/^(https?:\/\/|data:)/, "must be a URL or a data URI");

const text = z.object({ ...envelope, message: nonEmpty }).transform((body) =>
  describeSend(body, fillContent({ messageType: "text", text: body.message }))
);

const image = z.object({ ...envelope, image: media, caption: optionalText }).transform((body) =>
  describeSend(
    body,
    fillContent({ messageType: "image", mediaUrl: body.image, text: body.caption ?? null }),
  )
);

const video = z.object({ ...envelope, video: media, caption: optionalText }).transform((body) =>
  describeSend(
    body,
    fillContent({ messageType: "video", mediaUrl: body.video, text: body.caption ?? null }),
  )
);

const audio = z.object({ ...envelope, audio: media }).transform((body) =>
  describeSend(body, fillContent({ messageType: "audio", mediaUrl: body.audio }))
);

const document = z.object({
  ...envelope,
  document: media,
  fileName: optionalText,
  caption: optionalText,
}).transform((body) =>
  describeSend(
    body,
    fillContent({
      messageType: "document",
      mediaUrl: body.document,
      fileName: body.fileName ?? null,
      text: body.caption ?? null,
    }),
  )
);

const optionList = z.object({
  ...envelope,
  message: nonEmpty,
  optionList: z.object({
    title: nonEmpty,
    buttonLabel: nonEmpty,
    options: z.array(
      z.object({ title: nonEmpty, description: optionalText, id: optionalText }),
    ).min(1),
  }),
}).transform((body) => {
  const { title, buttonLabel } = body.optionList;
  const options = body.optionList.options.map((option, index) => ({
    id: option.id ?? String(index + 1),
    title: option.title,
    description: option.description || null,
  }));
  const list = { title, buttonLabel, options };
  return describeSend(
    body,
    fillContent({ messageType: "option_list", text: body.message, optionList: list }),
  );
});

/** The request schema of each path (Z-API documentation, section "Messages"). */
export const sendSchemas: Readonly<Record<string, z.ZodType<ZapiSend>>> = {
  "/send-text": text,
  "/send-image": image,
  "/send-video": video,
  "/send-audio": audio,
  "/send-document/:extension{[A-Za-z0-9]+}": document,
  "/send-option-list": optionList,
};

function describeSend(
  body: {
    readonly phone: string;
    readonly delayTyping?: number | undefined;
    readonly messageId?: string | undefined;
  },
  content: SimulatedContent,
): ZapiSend {
  return {
    to: body.phone,
    typingMs: (body.delayTyping ?? 0) * 1000,
    replyTo: body.messageId ?? null,
    content,
  };
}
