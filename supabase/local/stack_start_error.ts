/** The stack could not be started. The message is one sentence for the user. */
export class StackStartError extends Error {
  override readonly name = "StackStartError";
}
