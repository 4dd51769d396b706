/**
 * What the Postgres driver throws where nobody can catch it: it writes to a socket that it has let go
 * of when a server cuts a connection off in that instant. The call itself fails in the ordinary way.
 * The local stack survives it too (supabase/local/uncaught_errors.ts).
 */
const brokenWrite = "Cannot read properties of null (reading 'write')";

/** Whether an uncaught error is the driver's write to a connection that was cut off. */
export function isBrokenWrite(error: unknown): boolean {
  return error instanceof TypeError && error.message === brokenWrite &&
    /\/postgres\/[^\n]*\/connection\.js/.test(error.stack ?? "");
}

/** For test files that cut connections off: that error, and no other, does not fail the file. */
export function surviveBrokenWrites(): void {
  globalThis.addEventListener("error", (event) => {
    if (isBrokenWrite(event.error)) event.preventDefault();
  });
}
