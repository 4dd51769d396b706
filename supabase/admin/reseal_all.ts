import * as z from "zod";
import { type AdminAnswer, type AdminApi, AdminApiError, foreignAnswer } from "./admin_api.ts";

const reportSchema = z.looseObject({
  keyId: z.string(),
  resealed: z.int(),
  remaining: z.int(),
});

/**
 * Lets all credentials be sealed under the current key, batch by batch.
 *
 * @returns the last answer, with `resealed` of all of them.
 * @throws {AdminApiError} where the API refuses, or processes with different keys have answered.
 */
export async function resealAll(api: AdminApi): Promise<AdminAnswer> {
  let resealed = 0;
  let keyId: string | undefined;
  while (true) {
    const report = reportSchema.safeParse(await api.call("POST", "credentials/reseal"));
    if (!report.success) throw new AdminApiError(foreignAnswer);
    keyId ??= report.data.keyId;
    if (keyId !== report.data.keyId) {
      throw new AdminApiError(
        `Processes with different keys answer (${keyId}, ${report.data.keyId}): wait until those of the former secrets have ended, then repeat.`,
      );
    }
    resealed += report.data.resealed;
    if (report.data.resealed === 0 || report.data.remaining === 0) {
      return { ...report.data, resealed };
    }
  }
}
