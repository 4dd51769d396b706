/** Migrations that meet the locks of requests under way. */

/** A deadlock, and a lock that was not free within `lock_timeout`: Postgres undid the transaction. */
export const lockConflictStates: readonly string[] = ["40P01", "55P03"];

const maxAttempts = 14;
const firstPauseMs = 200;
const longestPauseMs = 2_000;

/**
 * Repeats what Postgres has undone because a request held a lock, at growing distances, for about
 * 20 seconds. A migration needs the locks of several tables; a request may hold one of them and wait for
 * another.
 *
 * @throws what the last attempt throws, or at once what `isConflict` does not know.
 */
export async function repeatAfterLockConflicts<T>(
  work: () => Promise<T>,
  isConflict: (error: unknown) => boolean,
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error;
    }
    const pauseMs = Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
