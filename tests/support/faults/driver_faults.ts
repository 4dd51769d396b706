/**
 * An uncaught error of the Postgres driver: it writes to a socket that the server is closing. The call
 * itself fails normally. The local stack logs it and goes on (supabase/host/uncaught_errors.ts).
 */
const brokenWrite = "Cannot read properties of null (reading 'write')";

/** Whether an uncaught error is the driver's write to a closed connection. */
export function isBrokenWrite(error: unknown): boolean {
  return error instanceof TypeError && error.message === brokenWrite &&
    /\/postgres\/[^\n]*\/connection\.js/.test(error.stack ?? "");
}

/** For test files that close connections: ignores this uncaught error and no other. */
export function surviveBrokenWrites(): void {
  globalThis.addEventListener("error", (event) => {
    if (isBrokenWrite(event.error)) event.preventDefault();
  });
}
