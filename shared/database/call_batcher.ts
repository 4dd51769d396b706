/** A call that waits for its answer. */
export interface WaitingCall<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers every call of a batch, then resolves; never rejects. It may call `complete` before: from then
 * on the next batch may start.
 */
export type SendBatch<Request, Result> = (
  calls: readonly WaitingCall<Request, Result>[],
  complete: () => void,
) => Promise<void>;

export interface BatchLimits {
  /** The largest batch. */
  readonly maxCalls: number;
  /** How long a batch holds up the next one. */
  readonly slowAfterMs: number;
  /** How long the first call of a batch that is not full waits for others. Default 0. */
  readonly gatherMs?: number;
}

/**
 * Batches the calls of one kind, in the order in which they came. A call starts at once when no batch is
 * under way (or after `gatherMs`, for others to come). Otherwise it waits, and starts with the others
 * that wait when the batch completes. A batch that is under way for `slowAfterMs` (it may wait for a lock)
 * holds up nobody: the next one starts beside it.
 */
export class CallBatcher<Request, Result> {
  #waiting: WaitingCall<Request, Result>[] = [];
  /** Batches with unanswered calls. */
  readonly #underWay = new Set<Promise<void>>();
  /** The batch that the waiting calls wait for; null while none waits for one. */
  #awaited: symbol | null = null;
  /** Ends the time that the waiting calls give others. */
  #gathering: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly sendBatch: SendBatch<Request, Result>,
    private readonly limits: BatchLimits,
  ) {}

  /** Settles as the call itself would. */
  call(request: Request): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ request, resolve, reject });
    this.#advance();
    return promise;
  }

  /** Starts everything that waits, and resolves when every call has its answer. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0) this.#start();
    await Promise.all(this.#underWay);
  }

  /** Starts what waits, where no batch holds it up and others have had time to come. */
  #advance(): void {
    if (this.#awaited !== null || this.#waiting.length === 0) return;
    const { maxCalls, gatherMs = 0 } = this.limits;
    if (gatherMs === 0 || this.#waiting.length >= maxCalls) this.#start();
    else this.#gathering ??= setTimeout(() => this.#start(), gatherMs);
  }

  #start(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const batch = Symbol();
    this.#awaited = batch;
    const startNext = (): void => {
      clearTimeout(timer);
      if (this.#awaited !== batch) return;
      this.#awaited = null;
      this.#advance();
    };
    const timer = setTimeout(startNext, this.limits.slowAfterMs);
    const calls = this.#waiting.splice(0, this.limits.maxCalls);
    const answered = this.sendBatch(calls, startNext).then(() => {
      this.#underWay.delete(answered);
      startNext();
    });
    this.#underWay.add(answered);
  }
}
