/** A program could not be started. The message is one sentence for the user. */
export class StartError extends Error {
  override readonly name = "StartError";
}
