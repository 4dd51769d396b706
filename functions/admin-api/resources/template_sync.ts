import * as z from "zod";
import type { RecordAnswer } from "./resource.ts";

const countSchema = z.int().min(0);

/** The result of POST admin-api/instances/:id/templates/sync, as its response shows it. */
export const templateSyncRecord = {
  instanceId: z.uuid(),
  created: countSchema,
  updated: countSchema,
  unchanged: countSchema,
  deleted: countSchema,
  items: z.array(z.object({
    templateId: z.uuid(),
    name: z.string(),
    language: z.string(),
    providerStatus: z.string(),
    providerTemplateId: z.string(),
    change: z.enum(["created", "updated", "unchanged", "deleted"]),
  })),
};

export type SyncTemplatesResponse = RecordAnswer<typeof templateSyncRecord>;
