import { AsyncLocalStorage } from "node:async_hooks";

/** Fields that the version 00 of the header defines (W3C Trace Context, section 3.2). */
const knownFields = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/;
const knownLength = 55;
const allZeros = /^0+$/;

const storage = new AsyncLocalStorage<string>();

/**
 * Returns the header's known fields when it is valid by W3C Trace Context, else null. Of a later
 * version only those fields are returned. The result holds hexadecimal digits and dashes only, so it
 * may enter a log line.
 */
export function parseTraceparent(header: string | undefined): string | null {
  if (header === undefined) return null;
  const [known, version, traceId = "", parentId = ""] = knownFields.exec(header) ?? [];
  if (known === undefined || version === "ff") return null;
  if (allZeros.test(traceId) || allZeros.test(parentId)) return null;
  const rest = header.slice(knownLength);
  const isRestValid = version === "00" ? rest === "" : rest === "" || rest.startsWith("-");
  return isRestValid ? known : null;
}

/** Runs `work` within a trace. So does everything that `work` starts and does not wait for. */
export function runInTrace<Result>(traceparent: string, work: () => Result): Result {
  return storage.run(traceparent, work);
}

/** The `traceparent` of the request that this code runs for, or undefined. */
export function currentTraceparent(): string | undefined {
  return storage.getStore();
}
