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
  /** Keeps the next requests unanswered, so many of them. Resolves when all have come. */
  holdNextOnes(count: number): Promise<void>;
  /** Lets what is kept be answered; so does disposing. */
  release(): void;
}

/** @param answer what is answered in the end. */
export function holdRequests(answer: Answer): HeldRequests {
  let arrived: PromiseWithResolvers<void> | null = null;
  let awaited = 0;
  let released = Promise.withResolvers<void>();
  const release = (): void => {
    released.resolve();
    released = Promise.withResolvers<void>();
  };
  const holdNextOnes = (count: number): Promise<void> => {
    awaited = count;
    arrived = Promise.withResolvers<void>();
    return arrived.promise;
  };
  return {
    answer: async (request) => {
      if (arrived !== null) {
        const kept = released.promise;
        awaited -= 1;
        if (awaited === 0) {
          arrived.resolve();
          arrived = null;
        }
        // Prepared meanwhile, so that answers which are let go together leave together.
        const [response] = await Promise.all([answer(request), kept]);
        return response;
      }
      return await answer(request);
    },
    holdNext: () => holdNextOnes(1),
    holdNextOnes,
    release,
    [Symbol.dispose]: release,
  };
}
