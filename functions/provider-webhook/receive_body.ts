/** Receives the body of a delivery in the memory that its sender may take. */
import { isFramedByLength, openBody } from "../../shared/http/request_body.ts";
import { sourceOf } from "../../shared/http/request_source.ts";
import type { Bytes } from "../../shared/model/bytes.ts";
import { blockBytes } from "../../shared/runtime/body_blocks.ts";
import { ByteBudget, type ByteReservation } from "../../shared/runtime/byte_budget.ts";
import { readDeclaredBytes, readDeliveryBody, type SizeLimits } from "./delivery_body.ts";
import type { EmbeddedFiles } from "./embedded_files.ts";
import { tooManyDeliveries, UnverifiedBytes } from "./unverified_bytes.ts";

/** What deliveries may take of the process. */
export interface DeliveryLimits {
  /** Of all bodies of known senders that are being read and recorded. */
  readonly totalBytes: number;
  /** Of those of one instance. */
  readonly instanceBytes: number;
  /** Of all bodies whose signature has not been checked. */
  readonly unverifiedBytes: number;
  /** Of those from one address. */
  readonly sourceBytes: number;
  /** How long a delivery waits, unread, for others to leave memory. */
  readonly waitMs: number;
  /** How long a body may take to arrive. */
  readonly bodyTimeoutMs: number;
}

const mebibyte = 1024 * 1024;

/**
 * A hosted function has 256 MB (Supabase, "Limits" of Edge Functions); text and events of a body take up
 * several times its bytes, one that is not verified its bytes alone. A delivery of Meta has 3 MB at most.
 */
export const deliveryLimits: DeliveryLimits = {
  totalBytes: 32 * mebibyte,
  instanceBytes: 12 * mebibyte,
  unverifiedBytes: 16 * mebibyte,
  sourceBytes: 4 * mebibyte,
  waitMs: 10_000,
  bodyTimeoutMs: 30_000,
};

/** A delivery whose head has been admitted. */
export interface ArrivingDelivery {
  readonly request: Request;
  /** Whose share it takes when its sender is known. */
  readonly instanceId: string;
  /** Whether its sender is known only when it is whole. */
  readonly signsBody: boolean;
  readonly sizeLimits: SizeLimits;
  readonly files: EmbeddedFiles;
}

/** A body in memory, in its instance's share. */
export interface ReceivedBody<Sender> {
  readonly sender: Sender;
  readonly body: Bytes;
  readonly reserved: ByteReservation;
}

/** Receives bodies within these limits, all of one process. */
export class DeliveryReceiver {
  readonly #known: ByteBudget;
  readonly #unverified: UnverifiedBytes;

  constructor(private readonly limits: DeliveryLimits) {
    const { totalBytes, instanceBytes, unverifiedBytes, sourceBytes } = limits;
    this.#known = new ByteBudget({ totalBytes, ownerBytes: instanceBytes });
    this.#unverified = new UnverifiedBytes({ totalBytes: unverifiedBytes, sourceBytes });
  }

  /**
   * Reads a body and finds out who sent it.
   *
   * @param identify finds the sender by the body; what it throws is thrown.
   * @throws {AppError} `service_unavailable` where there is no memory for it; what `readDeliveryBody`
   * throws.
   */
  async receive<Sender>(
    delivery: ArrivingDelivery,
    identify: (body: Bytes) => Promise<Sender>,
  ): Promise<ReceivedBody<Sender>> {
    return delivery.signsBody
      ? await this.#receiveSigned(delivery, identify)
      : await this.#receiveKnown(delivery, identify);
  }

  /** Its head has shown who sends it: it waits, unread, for its instance's share. */
  async #receiveKnown<Sender>(
    delivery: ArrivingDelivery,
    identify: (body: Bytes) => Promise<Sender>,
  ): Promise<ReceivedBody<Sender>> {
    const { maxBytes } = delivery.sizeLimits;
    const reserved = await this.#reserve(delivery, estimateBytes(delivery.request, maxBytes));
    try {
      const body = await this.#read(delivery);
      reserved.shrinkTo(body.byteLength);
      return { sender: await identify(body), body, reserved };
    } catch (error) {
      reserved.release();
      throw error;
    }
  }

  /** Anybody may send it: it takes nothing of an instance's share before it is verified. */
  async #receiveSigned<Sender>(
    delivery: ArrivingDelivery,
    identify: (body: Bytes) => Promise<Sender>,
  ): Promise<ReceivedBody<Sender>> {
    const { request } = delivery;
    const opened = openBody(request);
    const held = this.#unverified.hold(sourceOf(request), (error) => opened?.fail(error));
    try {
      // What the reading itself takes.
      held.holdAtLeast(estimateBytes(request, blockBytes));
      const body = await this.#read(delivery, opened, (bytes) => held.holdAtLeast(bytes));
      held.complete();
      const sender = await identify(body);
      return { sender, body, reserved: await this.#reserve(delivery, body.byteLength) };
    } finally {
      held.release();
    }
  }

  #read(
    { request, sizeLimits, files }: ArrivingDelivery,
    opened = openBody(request),
    onKept: (bytes: number) => void = () => {},
  ): Promise<Bytes> {
    const { bodyTimeoutMs } = this.limits;
    return readDeliveryBody(opened, { ...sizeLimits, timeoutMs: bodyTimeoutMs, onKept }, files);
  }

  async #reserve({ instanceId }: ArrivingDelivery, bytes: number): Promise<ByteReservation> {
    const reserved = await this.#known.reserve(instanceId, bytes, this.limits.waitMs);
    if (reserved === null) throw tooManyDeliveries();
    return reserved;
  }
}

/** How many bytes a body may take up in memory, as far as its head tells: at most `maxBytes`. */
function estimateBytes(request: Request, maxBytes: number): number {
  return isFramedByLength(request.headers)
    ? Math.min(readDeclaredBytes(request), maxBytes)
    : maxBytes;
}
