import * as z from "zod";
import { AdminApiError, openAdminApi } from "../admin/admin_api.ts";

const idSchema = z.uuid();

/** What a console is told of an instance: nothing else, because its page holds no secret key. */
const scheduleSchema = z.object({
  timeZone: z.string(),
  sendWindow: z.object({
    start: z.string(),
    end: z.string(),
    /** ISO weekdays, from 1 for Monday. */
    days: z.array(z.number()),
    holidays: z.array(z.string()),
  }),
});

/** When an instance sends, as admin-api tells it. Instance tokens cannot read it. */
export type ConsoleSchedule = z.infer<typeof scheduleSchema>;

/** Reads the time zone and the send window of instances from the admin-api at `origin`. */
export function openSchedules(
  origin: string,
  secretKey: string,
): (instanceId: string) => Promise<ConsoleSchedule | null> {
  const admin = openAdminApi(origin, () => Promise.resolve(secretKey));
  return async (instanceId) => {
    if (!idSchema.safeParse(instanceId).success) return null;
    try {
      return scheduleSchema.parse(await admin.call("GET", `instances/${instanceId}`));
    } catch (error) {
      if (error instanceof AdminApiError) return null;
      throw error;
    }
  };
}
