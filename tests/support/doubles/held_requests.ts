import type { DoubleRequest } from "./http_double.ts";

type Answer = (request: DoubleRequest) => Response | Promise<Response>;

/** A double's answers, of which a test may keep one back for as long as it likes. */
export interface HeldRequests extends Disposable {
  readonly answer: Answer;
  /**
   * Keeps the next request unanswered, so that a kill meets a call under way, at whatever pace the
   * machine works. Resolves when the request has come.
   */
  holdNext(): Promise<void>;
  /** Lets what is kept be answered; so does disposing. */
  release(): void;
}

/** @param answer what is answered in the end. */
export function holdRequests(answer: Answer): HeldRequests {
  let arrived: PromiseWithResolvers<void> | null = null;
  let released = Promise.withResolvers<void>();
  const release = (): void => {
    released.resolve();
    released = Promise.withResolvers<void>();
  };
  return {
    answer: async (request) => {
      if (arrived !== null) {
        const kept = released.promise;
        arrived.resolve();
        arrived = null;
        await kept;
      }
      return await answer(request);
    },
    holdNext: () => {
      arrived = Promise.withResolvers<void>();
      return arrived.promise;
    },
    release,
    [Symbol.dispose]: release,
  };
}
