import type { SimulatedStatus } from "../records.ts";
import type { Store } from "../store.ts";
import { findMarket, inventedPrices, type PriceTable } from "./price_table.ts";

/** A delivered message. */
interface Delivery {
  readonly providerMessageId: string;
  readonly atMs: number;
  readonly instance: string;
  readonly waId: string;
  readonly category: string;
  readonly isFreeEntry: boolean;
}

/** A delivered message with what it costs. */
export interface Charge extends Delivery {
  readonly country: string;
  /** `1000:5000`: the tier's first message, and that of the next; empty for the highest. */
  readonly tier: string;
  /** In billionths of the currency's unit: sums of them are exact. */
  readonly nanos: number;
}

/** Most deliveries that are remembered; the oldest are dropped. */
const capacity = 100_000;

const nanosPerUnit = 1_000_000_000;

/** The categories that have volume tiers at Meta. */
const tieredCategories = new Set(["utility", "authentication"]);

/**
 * Charges what the official channel delivers, by a table of prices. Subscribes to the store, and keeps its
 * records when a log is cleared. A table that replaces another one holds for all months.
 */
export class Billing {
  prices: PriceTable = inventedPrices;
  readonly #deliveries = new Map<string, Delivery>();

  constructor(store: Store) {
    store.subscribe((event) => {
      if (event.type !== "added" || event.kind !== "statuses") return;
      this.#take(event.record as SimulatedStatus);
    });
  }

  /** Every delivery with its charge, in the order of delivery. */
  charge(): Charge[] {
    const sent = [...this.#deliveries.values()].sort((one, other) => one.atMs - other.atMs);
    const counts = new Map<string, number>();
    const count = (key: string): number => {
      const before = counts.get(key) ?? 0;
      counts.set(key, before + 1);
      return before;
    };
    return sent.map((delivery) => this.#charge(delivery, count));
  }

  #charge(delivery: Delivery, count: (key: string) => number): Charge {
    const { prices } = this;
    const { category, instance, waId, atMs, isFreeEntry } = delivery;
    const month = new Date(atMs).toISOString().slice(0, 7);
    const market = findMarket(prices, waId);
    const country = market?.country ?? "UNKNOWN";
    // What a free entry point makes free takes no place of the month's free ones, and counts for no tier.
    if (isFreeEntry) return { ...delivery, country, tier: "0:", nanos: 0 };
    const isFree = category === "service" &&
      count(`${month} ${instance}`) < prices.freeServiceMessages;
    const volume = count(`${month} ${country} ${category}`);
    const tiers = tieredCategories.has(category)
      ? [...prices.volumeTiers].sort((one, other) => one.from - other.from)
      : [];
    const place = tiers.findLastIndex(({ from }) => volume >= from);
    const price = Object.entries(market?.prices ?? {}).find(([name]) => name === category)?.[1];
    const discount = tiers[place]?.discountPercent ?? 0;
    const full = Math.round(Number(price ?? "0") * nanosPerUnit);
    return {
      ...delivery,
      country,
      tier: `${tiers[place]?.from ?? 0}:${tiers[place + 1]?.from ?? ""}`,
      nanos: isFree ? 0 : Math.round(full * (100 - discount) / 100),
    };
  }

  /** The first delivery or reading of a message counts. */
  #take(status: SimulatedStatus): void {
    const { provider, instance, providerMessageId, waId, billedAs, receivedAt } = status;
    const { isFreeEntry = false } = status;
    const isDelivered = status.status === "delivered" || status.status === "read";
    if (provider !== "whatsapp_cloud" || !isDelivered || billedAs === undefined) return;
    if (this.#deliveries.has(providerMessageId)) return;
    const atMs = Date.parse(receivedAt);
    this.#deliveries.set(providerMessageId, {
      ...{ providerMessageId, instance, waId, atMs, category: billedAs, isFreeEntry },
    });
    const [oldest] = this.#deliveries.keys();
    if (this.#deliveries.size > capacity && oldest !== undefined) this.#deliveries.delete(oldest);
  }
}

/** An amount as Meta tells it: a number of the currency's unit. */
export function toUnits(nanos: number): number {
  return nanos / nanosPerUnit;
}
