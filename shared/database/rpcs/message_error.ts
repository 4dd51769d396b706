import type { RefusalMeaning } from "../../model/refusal_meaning.ts";

/** Why an attempt failed: the provider's error or the service's own. */
export interface MessageError {
  readonly code: string;
  readonly message: string;
}

/** As it is recorded: SQL acts by the meaning, and never shows it. */
export interface RecordedError extends MessageError {
  readonly meaning?: RefusalMeaning | undefined;
}
