/** Amounts of money. The API writes them as decimal text, which is never a float. */

import { locale, say } from "./words.js";

/** How the channel calls what it bills. Words that it adds later are shown as they are. */
const categories = {
  marketing: say("marketing"),
  utility: say("utility"),
  authentication: say("authentication"),
  service: say("service"),
};

/** @param {string | null} category null for messages without one */
export function nameCategory(category) {
  return categories[category] ?? category ?? say("without a category");
}

/**
 * Every digit that is not zero is shown: a single message may cost a fraction of a cent.
 *
 * @param {string} amount
 * @param {string} currency ISO 4217
 */
export function formatAmount(amount, currency) {
  return new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    currencyDisplay: "code",
    maximumFractionDigits: 20,
  }).format(amount);
}

/** @param {string[]} amounts @returns {string} their exact sum */
export function addAmounts(amounts) {
  const places = Math.max(0, ...amounts.map((amount) => amount.split(".")[1]?.length ?? 0));
  const sum = amounts.reduce((total, amount) => {
    const [whole, fraction = ""] = amount.split(".");
    return total + BigInt(whole + fraction.padEnd(places, "0"));
  }, 0n);
  const digits = String(sum).padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/**
 * An estimate in words; empty for none.
 *
 * @param {{amount: string, currency: string | null, unknown?: number} | null | undefined} estimate
 */
export function describeEstimate(estimate) {
  if (!estimate) return "";
  const { amount, currency, unknown = 0 } = estimate;
  return [
    currency === null ? "" : formatAmount(amount, currency),
    unknown === 0 ? "" : say("{count} without a rate", { count: unknown }),
  ].filter((part) => part !== "").join(", ");
}

/**
 * What a message costs, and how the channel bills it; empty while nothing is known.
 *
 * @param {{pricing?: object | null, estimatedCost?: object | null}} message
 */
export function describePrice({ pricing = null, estimatedCost = null }) {
  if (pricing === null) return "";
  return [
    estimatedCost === null ? say("price not known") : describeEstimate(estimatedCost),
    nameCategory(pricing.category),
    pricing.type?.startsWith("free") ? say("free of charge") : "",
  ].filter((part) => part !== "").join(" · ");
}
