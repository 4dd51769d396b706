/** From a message's acceptance to its arrival on the phone, in milliseconds. */
export const arrivalMs = 100;

/** Waits `ms` milliseconds, or until the stack stops. Never rejects. */
export function waitUnlessClosing(ms: number, closing: AbortSignal): Promise<void> {
  if (ms <= 0 || closing.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      closing.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    closing.addEventListener("abort", finish);
  });
}
