/**
 * The one table of Z-API's refusals that its HTTP status does not explain. Z-API has no error codes,
 * so its words tell.
 */
import { instanceOutage, instanceRefusal, type KnownAnswer } from "../classification.ts";

export const zapiErrors: readonly KnownAnswer[] = [
  {
    // Users' reports: 400 without the account's security token, also for an expired trial, and now
    // and then for no reason, so that waiting helps.
    words: /client-token is not configured/i,
    classification: instanceOutage,
  },
  {
    // Page "Security token": the header is missing ("null") or another account's. 403 in reports.
    words: /^(?:client-token\b.*|null) not allowed/i,
    classification: instanceRefusal,
  },
  {
    // Users' reports: the instance's id and its token do not belong together, or the id is unknown.
    words: /^instance not found\b/i,
    classification: instanceRefusal,
  },
  {
    // Page "Instance status": the words of a session that is gone.
    words: /you are not connected|you need to (?:be connected|restore the session)/i,
    classification: instanceOutage,
  },
];
