/** How much the official channel lets numbers send: their level, and whether they are also in the WhatsApp Business app. */
import * as z from "zod";
import { composeAccountNews } from "./events.ts";

/** The levels of throughput: 80 and 1,000 messages a second. */
const throughputLevels = ["STANDARD", "HIGH"] as const;

/** What is left out stays as it is. */
export const numberSchema = z.object({
  instance: z.string().min(1),
  throughput: z.enum(throughputLevels).optional(),
  /** Coexistence: such a number sends 20 messages a second, whatever its level. */
  isOnBusinessApp: z.boolean().optional(),
});

interface NumberLevel {
  readonly throughput: (typeof throughputLevels)[number];
  readonly isOnBusinessApp: boolean;
}

/** The numbers that have another level than every number at first. */
export class Numbers {
  readonly #levels = new Map<string, NumberLevel>();

  read(instance: string): NumberLevel {
    return this.#levels.get(instance) ?? { throughput: "STANDARD", isOnBusinessApp: false };
  }

  /** @returns whether the number has risen to a higher level. */
  change({ instance, throughput, isOnBusinessApp }: z.infer<typeof numberSchema>): boolean {
    const former = this.read(instance);
    const present = {
      throughput: throughput ?? former.throughput,
      isOnBusinessApp: isOnBusinessApp ?? former.isOnBusinessApp,
    };
    this.#levels.set(instance, present);
    return former.throughput === "STANDARD" && present.throughput === "HIGH";
  }
}

/** The webhook event of a higher level. Meta tells no lower one, and nothing of the app: a number says so when asked. */
export function composeThroughputUpgrade(
  phone: string | undefined,
  at: string,
): Record<string, unknown> {
  return composeAccountNews("phone_number_quality_update", at, {
    ...(phone === undefined ? {} : { display_phone_number: phone }),
    event: "THROUGHPUT_UPGRADE",
  });
}
