/** What the filling of one call may make, whatever its entries give. */

import type { RecipientDraft } from "../../shared/database/rpcs/batches.ts";
import { AppError, type Issue, maxIssues } from "../../shared/model/errors.ts";

/**
 * Room for the filled messages of a call, in characters of their JSON: four times what a body may have. A
 * value in many places makes a message 60 times as long as its entry.
 */
const maxCharacters = 16 * 1024 * 1024;

/** What the messages of a call may take together. */
export class MessageRoom {
  #left = maxCharacters;

  /** @throws {AppError} `invalid_request` where the messages are too long together. */
  take(draft: RecipientDraft): void {
    this.#left -= JSON.stringify(draft).length;
    if (this.#left >= 0) return;
    const message =
      `make messages of more than ${maxCharacters} characters together: give fewer in a call`;
    throw new AppError("invalid_request", { issues: [{ path: "recipients", message }] });
  }
}

/** How many issues a call tells of its entries before it tells the first of each alone. */
const maxEntryIssues = 1_000;

/** The issues that a call tells of its entries: a hundred of each, and then the first. */
export class IssueBudget {
  #left = maxEntryIssues;

  take(issues: readonly Issue[]): readonly Issue[] {
    const told = issues.slice(0, Math.max(1, Math.min(maxIssues, this.#left)));
    this.#left -= told.length;
    return told;
  }
}
