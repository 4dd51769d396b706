/** How the models of questions, and those who read the service for them, name what a question is. */

/** `waiting`, `open`, `answered:<words>`, `expired` or `canceled:<reason>`; in a model also `sending`. */
export type QuestionState = string;

/** What a question may be as long as it has no end. */
export const liveStates: readonly QuestionState[] = ["waiting", "open"];

/** Names the state of a question with this status, which `words` have answered or `reason` has canceled. */
export function nameState(
  status: string,
  { words, reason }: { readonly words?: string | undefined; readonly reason?: string | undefined },
): QuestionState {
  switch (status) {
    case "answered":
      return `answered:${words}`;
    case "canceled":
      return `canceled:${reason}`;
    default:
      return status;
  }
}
