/** A template as admin-api shows it: its answers and the database's record follow from this schema. */
import * as z from "zod";
import { parameterFormats } from "./filled_template.ts";
import { instantSchema } from "./instant.ts";
import type { AnswerOf } from "./response_fields.ts";

/** A record of `message_templates` (specification, section 2). */
export const templateFields = {
  templateId: z.uuid(),
  workspaceId: z.uuid(),
  /** The only instance that may send it; null for every instance of the workspace. */
  instanceId: z.uuid().nullable(),
  name: z.string(),
  language: z.string(),
  parameterFormat: z.enum(parameterFormats),
  /** In the official channel's shape: their other members follow from their types. */
  components: z.array(z.looseObject({ type: z.string() })),
  /** `MARKETING`, `UTILITY` or `AUTHENTICATION`; null where it was never given. */
  category: z.string().nullable(),
  categoryChange: z.object({
    to: z.string().meta({ description: "The category that it will have." }),
    at: instantSchema.meta({ description: "When." }),
  }).nullable().meta({
    description:
      "A change of category that the official channel has announced: its messages cost by the new one. Null for none.",
  }),
  quality: z.string().nullable().meta({
    description:
      "The official channel's rating: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null until it tells.",
  }),
  rejectedReason: z.string().nullable().meta({
    description: "Why the official channel has rejected or paused it, in its word; null for none.",
  }),
  disablesAt: instantSchema.nullable().meta({
    description: "When the official channel will disable it, as it announced; null for no plan.",
  }),
  providerStatus: z.string().nullable(),
  providerTemplateId: z.string().nullable(),
  createdAt: instantSchema,
  updatedAt: instantSchema,
};

export type TemplateRecord = AnswerOf<z.ZodObject<typeof templateFields>>;

/** A component in the official channel's shape, whose other members follow from its type. */
export type TemplateComponent = TemplateRecord["components"][number];

const countSchema = z.int().min(0);

/** How many templates an account has and may have, as its provider reports it; null where it reports none. */
export const templateLimitSchema = z.object({ used: countSchema, total: countSchema }).nullable();

/** What reading an account's templates has changed. */
export const templateSyncFields = {
  instanceId: z.uuid(),
  created: countSchema,
  updated: countSchema,
  unchanged: countSchema,
  deleted: countSchema,
  limit: templateLimitSchema,
  items: z.array(z.object({
    templateId: z.uuid(),
    name: z.string(),
    language: z.string(),
    providerStatus: z.string(),
    providerTemplateId: z.string(),
    change: z.enum(["created", "updated", "unchanged", "deleted"]),
  })),
};

export type TemplateSyncReport = AnswerOf<z.ZodObject<typeof templateSyncFields>>;
