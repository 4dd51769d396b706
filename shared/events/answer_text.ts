/** How much of an answer is read and kept, in bytes: enough for an error text. */
const maxAnswerBytes = 1_024;
/** A receiver that has sent its status has answered. Its body is not worth a long wait. */
const maxWaitMs = 2_000;

/**
 * The beginning of an answer's body as text that the database can store; null for an empty one.
 * Reads at most 1,024 bytes and cancels the rest. Never throws: the status has been received.
 */
export async function readAnswerText(response: Response): Promise<string | null> {
  if (response.body === null) return null;
  // Its framing ends this body, so it can be read at once, which costs a third of its stream.
  const bytes = declaresFewBytes(response.headers)
    ? new Uint8Array(await response.arrayBuffer().catch(() => new ArrayBuffer(0)))
    : await readBeginning(response.body);
  const text = new TextDecoder().decode(bytes).replaceAll("\u0000", "\ufffd");
  return text === "" ? null : text;
}

/** A chunked body ends by its chunks and a compressed one grows, whatever `Content-Length` says. */
function declaresFewBytes(headers: Headers): boolean {
  const declared = headers.get("content-length") ?? "";
  return /^\d{1,4}$/.test(declared) && Number(declared) <= maxAnswerBytes &&
    !headers.has("transfer-encoding") && !headers.has("content-encoding");
}

async function readBeginning(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const beginning = new Uint8Array(maxAnswerBytes);
  let size = 0;
  const reader = body.getReader();
  const timer = setTimeout(() => reader.cancel().catch(() => {}), maxWaitMs);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const fitting = part.value.subarray(0, maxAnswerBytes - size);
      beginning.set(fitting, size);
      size += fitting.byteLength;
      if (size === maxAnswerBytes) {
        await reader.cancel();
        break;
      }
    }
  } catch {
    // Connection lost or time-out: what came so far is the answer.
  } finally {
    clearTimeout(timer);
  }
  return beginning.subarray(0, size);
}
