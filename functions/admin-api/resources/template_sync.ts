import * as z from "zod";
import type { RecordAnswer } from "./resource.ts";

const countSchema = z.int().min(0);

/** What POST admin-api/instances/:id/templates/sync did, as its response holds it. */
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
