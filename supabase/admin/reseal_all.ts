import * as z from "zod";
import { type AdminAnswer, type AdminApi, AdminApiError, unexpectedResponse } from "./admin_api.ts";

const reportSchema = z.looseObject({
  keyId: z.string(),
  resealed: z.int(),
  remaining: z.int(),
});

/**
 * Seals all credentials under the current key, batch by batch.
 *
 * @returns the last response, with the total of `resealed`.
 * @throws {AdminApiError} for an error of the API, and where processes with different keys
 * responded.
 */
export async function resealAll(api: AdminApi): Promise<AdminAnswer> {
  let resealed = 0;
  let keyId: string | undefined;
  while (true) {
    const report = reportSchema.safeParse(await api.call("POST", "credentials/reseal"));
    if (!report.success) throw new AdminApiError(unexpectedResponse);
    keyId ??= report.data.keyId;
    if (keyId !== report.data.keyId) {
      throw new AdminApiError(
        `Processes with different keys responded (${keyId}, ${report.data.keyId}). Wait until the processes with the former keys have ended, then repeat.`,
      );
    }
    resealed += report.data.resealed;
    if (report.data.resealed === 0 || report.data.remaining === 0) {
      return { ...report.data, resealed };
    }
  }
}
