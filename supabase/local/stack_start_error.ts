/** A start that was refused. The message is one sentence for the person at the terminal. */
export class StackStartError extends Error {
  override readonly name = "StackStartError";
}
