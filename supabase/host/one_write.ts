/**
 * Lets the runtime write the head and the body of an answer at once.
 *
 * Deno 2.9.6 copies a body behind its head only where it fits the buffer that the head has left, else
 * it writes twice, and the caller wakes twice (libs/http_h1/conn.rs of Deno). The buffer belongs to the
 * connection, has 512 bytes, and doubles when a head is larger; a body never enlarges it. A send's
 * answer has 340 to 430 bytes of head and 330 to 550 of body. So the first head of a connection is
 * filled up until the buffer has doubled twice, which is enough for the answers after it as they are.
 * Measured: 0.04 ms of processor time an answer instead of 0.05; the other way to one write, a stream in
 * chunks, takes 0.06. Deno 2.1.4 writes once by itself.
 */

/** Size of the buffer that a head of one byte more enlarges to twice as much. */
const enlargedBeyond = 1_024;

/** What the runtime adds to every head: status, length, date and the empty line. */
const ownBytes = 70;

const name = "x-padding";
const reason = "lets head and body leave in one packet ";

/** Fills the heads of one connection's answers. */
export class HeadFiller {
  #isEnlarged = false;

  /** Adds a header to the connection's first answer in JSON. Call it once for each of its answers, in turn. */
  fill({ headers }: Response): void {
    const isJson = headers.get("content-type") === "application/json";
    // A stream shrinks the buffer to its first size.
    if (!isJson) this.#isEnlarged = false;
    if (!isJson || this.#isEnlarged) return;
    const missing = enlargedBeyond + 1 - countHeadBytes(headers);
    if (missing > 0) headers.set(name, reason.padEnd(missing, "-"));
    this.#isEnlarged = true;
  }
}

/** Bytes of a head with these headers, at least. */
function countHeadBytes(headers: Headers): number {
  let bytes = ownBytes + name.length + ": \r\n".length;
  for (const [name, value] of headers) bytes += name.length + value.length + ": \r\n".length;
  return bytes;
}
