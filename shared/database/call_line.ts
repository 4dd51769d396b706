/** A call that waits for its answer. */
export interface WaitingCall<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers every call of a flight, then resolves; never rejects. It may call `land` before: from then
 * on the next flight may leave.
 */
export type SendFlight<Request, Result> = (
  calls: readonly WaitingCall<Request, Result>[],
  land: () => void,
) => Promise<void>;

export interface LineLimits {
  /** The largest flight. */
  readonly maxCalls: number;
  /** How long a flight holds up the next one. */
  readonly slowAfterMs: number;
}

/**
 * The calls of one kind, in the order in which they came. A call leaves at once when no flight is
 * under way. Otherwise it waits, and leaves with the others that wait when the flight lands. A flight
 * that is under way for `slowAfterMs` (it may wait for a lock) holds up nobody: the next one leaves
 * beside it.
 */
export class CallLine<Request, Result> {
  #waiting: WaitingCall<Request, Result>[] = [];
  /** Flights with unanswered calls. */
  readonly #underWay = new Set<Promise<void>>();
  /** The flight that the waiting calls wait for; null while none waits for one. */
  #awaited: symbol | null = null;

  constructor(
    private readonly sendFlight: SendFlight<Request, Result>,
    private readonly limits: LineLimits,
  ) {}

  /** Settles as the call itself would. */
  call(request: Request): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ request, resolve, reject });
    if (this.#awaited === null) this.#depart();
    return promise;
  }

  /** Lets everything leave that waits, and resolves when every call has its answer. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0) this.#depart();
    await Promise.all(this.#underWay);
  }

  #depart(): void {
    const flight = Symbol();
    this.#awaited = flight;
    const letNextLeave = (): void => {
      clearTimeout(timer);
      if (this.#awaited !== flight) return;
      this.#awaited = null;
      if (this.#waiting.length > 0) this.#depart();
    };
    const timer = setTimeout(letNextLeave, this.limits.slowAfterMs);
    const calls = this.#waiting.splice(0, this.limits.maxCalls);
    const answered = this.sendFlight(calls, letNextLeave).then(() => {
      this.#underWay.delete(answered);
      letNextLeave();
    });
    this.#underWay.add(answered);
  }
}
