/**
 * The table of Z-API's refusals that the HTTP status does not explain. Z-API has no error codes, so
 * the rules match its error texts.
 */
import { instanceOutage, instanceRefusal, type KnownAnswer } from "../classification.ts";

export const zapiErrors: readonly KnownAnswer[] = [
  {
    // Users' reports: 400 without the account's security token, also for an expired trial, and
    // occasionally without a cause, so a retry helps.
    words: /client-token is not configured/i,
    classification: instanceOutage,
  },
  {
    // Page "Security token": the header is missing ("null") or belongs to another account. 403 in
    // reports.
    words: /^(?:client-token\b.*|null) not allowed/i,
    classification: instanceRefusal,
  },
  {
    // Users' reports: the instance's id and token do not match, or the id is unknown.
    words: /^instance not found\b/i,
    classification: instanceRefusal,
  },
  {
    // Page "Instance status": the texts of a lost session.
    words: /you are not connected|you need to (?:be connected|restore the session)/i,
    classification: instanceOutage,
  },
];
