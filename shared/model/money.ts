/** Amounts of reais as exact decimals: texts outside, whole cents (bigint) within. Nothing is a float. */

/** Ten digits before the point: as many as a BR Code holds with its 13 characters. */
const amountPattern = /^(?:0|[1-9]\d{0,9})(?:\.\d{1,2})?$/;

/** The cents of an amount such as `129.90`, `129.9` or `129`; null for any other text. */
export function readCents(amount: string): bigint | null {
  if (!amountPattern.test(amount)) return null;
  const [whole = "", part = ""] = amount.split(".");
  return BigInt(whole + part.padEnd(2, "0"));
}

/**
 * The cents of an amount that was validated.
 *
 * @throws Error for an invalid one: a defect.
 */
export function requireCents(amount: string): bigint {
  const cents = readCents(amount);
  if (cents === null) throw new Error("a validated amount is invalid");
  return cents;
}

/** The amount with both places, as it is stored, told and put in codes: `129.90`. Not for negative ones. */
export function writeAmount(cents: bigint): string {
  const digits = cents.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The amount as people in Brazil read it: `R$ 1.234,50`. */
export function writeReais(cents: bigint): string {
  const [whole = "", part = ""] = writeAmount(cents).split(".");
  const thousands = Array.from(
    { length: Math.ceil(whole.length / 3) },
    (_, index) =>
      whole.slice(Math.max(0, whole.length - 3 * (index + 1)), whole.length - 3 * index),
  );
  return `R$ ${thousands.reverse().join(".")},${part}`;
}

/** What an order adds up to, each amount in cents. */
export interface OrderSums {
  /** Price of one, times how many. */
  readonly items: readonly { readonly cents: bigint; readonly quantity: number }[];
  readonly discountCents: bigint;
  readonly shippingCents: bigint;
  readonly taxCents: bigint;
}

/** The sum of the items alone. */
export function addItems(items: OrderSums["items"]): bigint {
  return items.reduce((sum, { cents, quantity }) => sum + cents * BigInt(quantity), 0n);
}

/** The items less the discount, with shipping and tax. It may be negative: a discount larger than the rest. */
export function addOrder({ items, discountCents, shippingCents, taxCents }: OrderSums): bigint {
  return addItems(items) - discountCents + shippingCents + taxCents;
}
