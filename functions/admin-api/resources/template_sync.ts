import { templateSyncFields } from "../../../shared/model/template_record.ts";
import { recordAnswer } from "./answers.ts";

/** The response of POST admin-api/instances/:id/templates/sync. */
export const syncTemplatesResponseSchema = recordAnswer(templateSyncFields);
