/** The parts of a message that are shown as they are stored, by their names in `content`. */
import * as z from "zod";
import { receivedPartSchemas } from "./received_parts.ts";
import type { AnswerOf } from "./response_fields.ts";

/** Each part with its meaning. `format=raw` and the types of stored contents follow from this table. */
export const partSchemas = {
  optionList: z.object({
    title: z.string(),
    buttonLabel: z.string(),
    options: z.array(z.object({
      id: z.string(),
      title: z.string(),
      description: z.string().optional(),
    })),
  }).meta({ description: "The options to choose from." }),
  template: z.object({
    name: z.string(),
    language: z.string(),
    components: z.array(z.record(z.string(), z.unknown())),
  }).meta({ description: "The sent template, in the official channel's format." }),
  ...receivedPartSchemas,
};

export type PartName = keyof typeof partSchemas;

export const partNames = Object.keys(partSchemas) as readonly PartName[];

/** A part as it is stored. */
export type Part<Name extends PartName> = AnswerOf<(typeof partSchemas)[Name]>;

/** The parts that a message has. */
export type ShownParts = { readonly [Name in PartName]?: Part<Name> | undefined };
