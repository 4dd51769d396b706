import { createHmac, timingSafeEqual } from "node:crypto";

/** How far the time of a delivery may be from now. */
const toleranceSeconds = 300;

/** The headers of Standard Webhooks that say who sent a delivery, and when. */
export interface Delivery {
  readonly id: string;
  readonly timestamp: string;
}

/**
 * Verifies that a delivery is signed with the endpoint's secret, and recent (Standard Webhooks).
 *
 * @param body the bytes as they came: what is parsed and written again is other bytes.
 * @returns null for a delivery that is not to be believed.
 */
export function verifyDelivery(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
  secret: string,
  nowMs = Date.now(),
): Delivery | null {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const signatures = headers["webhook-signature"];
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signatures !== "string") {
    return null;
  }
  const age = Math.abs(nowMs / 1000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || age > toleranceSeconds) return null;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  // An empty key would let anybody sign.
  if (key.length === 0) return null;
  const wanted = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  const isSigned = signatures.split(" ").some((signature) => {
    const [version, value] = signature.split(",", 2);
    const given = Buffer.from(value ?? "", "base64");
    return version === "v1" && given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  return isSigned ? { id, timestamp } : null;
}
