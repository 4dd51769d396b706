import { againInASecond, AppError, type ErrorCode, type Issue } from "../model/errors.ts";

/** The refusals that SQL functions raise, by SQLSTATE; their headers say which of them. */
const refusalBySqlstate: Readonly<Record<string, ErrorCode>> = {
  MI001: "operator_not_found",
  MI002: "department_not_found",
  MI003: "agent_not_found",
  MI004: "message_not_found",
  MI005: "contact_blocked",
  MI006: "outside_conversation_window",
  MI007: "idempotency_key_in_progress",
  MI008: "idempotency_key_reused",
  MI009: "agent_id_required",
  MI010: "send_window_never_opens",
  MI011: "message_not_cancelable",
  MI012: "message_not_retriable",
  MI013: "workspace_not_found",
  MI014: "Instance not found",
  MI015: "token_not_found",
  MI016: "template_not_found",
  MI017: "already_exists",
};

/** Refusals that end by themselves: they say when to ask again. */
const passing: ReadonlySet<ErrorCode> = new Set(["idempotency_key_in_progress"]);

/** What SQL functions find wrong with a request, of which only the database knows: by SQLSTATE. */
const issueBySqlstate: Readonly<Record<string, Issue>> = {
  MI020: { path: "customLabels", message: "must not make the merged labels larger than 64 KiB" },
  MI021: { path: "externalContext", message: "must not make the merged data larger than 64 KiB" },
};

/**
 * SQLSTATEs (whole, or their class of two) and driver codes that mean the database cannot serve
 * now: connection failures, too many connections or resources, time-outs, shutdown, a database that
 * takes no writes (as one whose disk is full), PostgREST's own.
 */
const unavailable = new Set([
  ...["08", "25006", "53", "57014", "57P01", "57P02", "57P03", "55P03"],
  ...["CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED", "CONNECT_TIMEOUT"],
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ENOTFOUND", "EAI_AGAIN"],
  ...["PGRST000", "PGRST001", "PGRST002", "PGRST003"],
]);

/** Deadlock and serialization failure: another transaction came first. */
const rolledBack = new Set(["40P01", "40001"]);

/**
 * What may be another transaction's doing too: a contact that was found has become another one (foreign
 * key; see the SQL function `merge_contacts`), or one that was not there is there now (unique key).
 */
const perhapsRolledBack = new Set(["23503", "23505"]);

/** Whether a code is one of Postgres': five characters with a digit, unlike EPIPE. */
export function isSqlstate(code: string): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}

/** The call came to nothing because another came first: it may be made again at once. */
export class RolledBackError extends AppError {
  constructor() {
    super("service_unavailable", againInASecond);
  }
}

/** A defect in the database or in a call to it; carries the SQLSTATE, never the message. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  constructor(rpcName: string, readonly code: string, options?: ErrorOptions) {
    super(`${rpcName} failed with ${code}`, options);
  }
}

/** The error that a failed call is thrown as, decided by its code alone. */
export function toDatabaseError(rpcName: string, code: string | undefined): Error {
  const known = code ?? "";
  const refusal = refusalBySqlstate[known];
  if (refusal !== undefined) {
    return new AppError(refusal, passing.has(refusal) ? againInASecond : {});
  }
  const issue = issueBySqlstate[known];
  if (issue !== undefined) return new AppError("invalid_request", { issues: [issue] });
  if (rolledBack.has(known)) return new RolledBackError();
  if (unavailable.has(known) || unavailable.has(known.slice(0, 2))) {
    return new AppError("service_unavailable", againInASecond);
  }
  return new DatabaseError(rpcName, known === "" ? "no_code" : known);
}

/** Whether a call that came to nothing may come to something when it is made again at once. */
export function isWorthRepeating(error: unknown): boolean {
  return error instanceof RolledBackError ||
    (error instanceof DatabaseError && perhapsRolledBack.has(error.code));
}
