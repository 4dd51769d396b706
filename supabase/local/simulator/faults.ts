import * as z from "zod";
import { channels } from "./channels.ts";
import { faultKinds, serviceKinds } from "./records.ts";

/**
 * A planned fault. It affects the next `times` sends that match it. `code` is the provider's own
 * error code for `reject`; `to` and `instance` restrict it to one recipient or one instance.
 * `delivered` says whether the message arrives although the answer fails: by default yes for
 * `timeout`, `reset` and `garbage` (only the answer is lost), no for the others. `held` is no refusal: the
 * channel accepts the message, and keeps it for a quality assessment.
 */
export const faultRequestSchema = z.object({
  provider: z.enum(serviceKinds),
  kind: z.enum(faultKinds),
  times: z.int().min(1).max(100_000).default(1),
  code: z.union([z.string().min(1).max(100), z.int()]).optional(),
  retryAfterSeconds: z.int().min(0).max(86_400).optional(),
  to: z.string().min(1).max(320).transform(normalizeRecipient).optional(),
  instance: z.string().min(1).max(200).optional(),
  delivered: z.boolean().optional(),
}).refine(({ kind, provider }) => kind !== "held" || isOfficial(provider), {
  path: ["kind"],
  message: "held is for the official channel alone",
});

function isOfficial(provider: string): boolean {
  return channels.some(({ kind, isOfficial }) => kind === provider && isOfficial === true);
}

export type FaultRequest = z.infer<typeof faultRequestSchema>;

export interface Fault extends FaultRequest {
  readonly faultId: number;
  readonly delivered: boolean;
  /** How many more sends it will affect. */
  remaining: number;
}

/** The target of a send, to match faults against. */
export interface FaultTarget {
  readonly provider: FaultRequest["provider"];
  readonly instance?: string;
  /** Every recipient of the send: the digits of a phone in each form, or e-mail addresses. */
  readonly to: readonly string[];
}

const faultCapacity = 100;

/** The planned faults, oldest first. Keeps the newest 100, including used-up ones. */
export class FaultPlan {
  #faults: Fault[] = [];
  #lastFaultId = 0;

  add(request: FaultRequest): Fault {
    const arrives = ["timeout", "reset", "garbage", "held"].includes(request.kind);
    const fault: Fault = {
      ...request,
      faultId: ++this.#lastFaultId,
      delivered: request.delivered ?? arrives,
      remaining: request.times,
    };
    this.#faults.push(fault);
    if (this.#faults.length > faultCapacity) this.#faults.shift();
    return fault;
  }

  list(): readonly Fault[] {
    return this.#faults;
  }

  clear(): number {
    const count = this.#faults.length;
    this.#faults = [];
    return count;
  }

  /** Uses the oldest matching fault once and returns it, if there is one. */
  take(target: FaultTarget): Fault | undefined {
    const fault = this.#faults.find((fault) => fault.remaining > 0 && fits(fault, target));
    if (fault !== undefined) fault.remaining -= 1;
    return fault;
  }
}

function fits(fault: Fault, target: FaultTarget): boolean {
  if (fault.provider !== target.provider) return false;
  if (fault.instance !== undefined && fault.instance !== target.instance) return false;
  return fault.to === undefined || target.to.includes(fault.to);
}

/** Compares e-mail addresses case-insensitively and phones without their formatting. */
export function normalizeRecipient(recipient: string): string {
  return recipient.includes("@") ? recipient.toLowerCase() : recipient.replace(/\D/g, "");
}
