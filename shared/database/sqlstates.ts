import {
  AppError,
  type ErrorCode,
  type Issue,
  refuseOverload,
  refuseState,
} from "../model/errors.ts";

/** An instance's own number is nobody's: no call makes a contact of it. */
export const ownNumberIssue: Issue = {
  path: "phone",
  message: "must not be the instance's own number",
};

/** The meaning of an SQLSTATE of this service for the caller of an SQL function. */
type Meaning =
  /** An API error, by its code in errors.ts. SQL raises it with that code as its message. */
  | ErrorCode
  /** An invalid field that only the database can detect: `invalid_request` with this issue. */
  | Issue
  /** Not an API error: one module catches it. Anywhere else it is a defect. */
  | { readonly caughtBy: string }
  /** The transaction lost to a concurrent one, and is rolled back: the call is made again. */
  | { readonly isConflict: true };

/**
 * Every SQLSTATE that our SQL raises (class MI), in one table. A new SQLSTATE takes the next
 * number. A test compares the table with `supabase/schemas`.
 */
export const meaningBySqlstate = {
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
  MI018: { caughtBy: "shared/agents/reply.ts" },
  MI020: { path: "customLabels", message: "must not make the merged labels larger than 64 KiB" },
  MI021: { path: "externalContext", message: "must not make the merged data larger than 64 KiB" },
  MI022: { caughtBy: "shared/messages/accept.ts" },
  MI023: "too_many_endpoints",
  MI024: "endpoint_not_found",
  MI025: "delivery_not_found",
  MI026: "endpoint_not_active",
  MI027: "batch_not_found",
  MI028: "batch_state",
  MI029: {
    path: "recipients",
    message: "must not make the batch larger than 100000 recipients",
  },
  MI031: "contact_not_found",
  MI032: "conversation_not_found",
  MI033: "recipient_needs_phone",
  MI034: "contact_opted_out",
  MI035: "contact_erased",
  MI036: "erasure_not_found",
  MI037: { caughtBy: "shared/database/denial_hashes.ts" },
  MI041: { path: "sendAt", message: "must not be more than a minute in the past" },
  MI042: { path: "sendAt", message: "must not be more than 35 days ahead" },
  MI043: { path: "expiresAt", message: "must be in the future" },
  MI044: "message_not_movable",
  MI045: ownNumberIssue,
  MI051: "media_not_found",
  MI052: "media_pending",
  MI053: "media_failed",
  MI054: "media_expired",
  // Never 40001, whose meaning this is: PostgREST up to 14 repeats such a call at once and without end.
  MI055: { isConflict: true },
  MI056: "replay_pending",
  MI057: {
    path: "expiresAt",
    message: "must be after the message is to leave: sendAt, or delayMessage from now",
  },
  MI061: "message_not_editable",
  MI062: "message_not_deletable",
  MI063: "message_not_readable",
  MI065: "template_ambiguous",
  MI070: "question_not_found",
  MI071: "people_scope",
  MI072: "secret_rotation_pending",
  MI081: "connection_link_not_found",
  MI090: "reference_in_use",
  MI091: {
    path: "payment.expiresAt",
    message: "must be at least 5 minutes ahead, from sendAt or delayMessage on",
  },
  MI092: "payment_not_found",
  MI093: "payment_state",
  MI094: {
    path: "paymentReference",
    message: "is waited for by 1,000 messages and recipients of batches, which is the most",
  },
} as const satisfies Readonly<Record<string, Meaning>>;

/** An SQLSTATE of the table. */
export type OwnSqlstate = keyof typeof meaningBySqlstate;

/**
 * SQLSTATEs (whole, or their class of two) and driver codes that mean that the database is
 * unavailable: connection failures, too many connections or resources, shutdown, a read-only database
 * (such as one with a full disk), and PostgREST's own codes of a lost connection.
 */
const unavailable = new Set([
  ...["08", "25006", "53", "57P01", "57P02", "57P03"],
  ...["CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED", "CONNECT_TIMEOUT"],
  ...["NO_PRIMARY"],
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ENOTFOUND", "EAI_AGAIN"],
  ...["PGRST000", "PGRST001"],
]);

/**
 * PostgREST cannot serve the call yet: it reads its schema again after a restart of the database
 * (PGRST002, measured: 15 s with 10 pooled connections, 32 s with 20), or no connection of its pool
 * became free within 10 s (PGRST003).
 */
const overloaded = new Set(["PGRST002", "PGRST003"]);
/** An overload passes within seconds. An earlier call would only join the queue. */
const overloadRetryAfterSeconds = 5;

/** `statement_timeout` and `lock_timeout` of the server: it canceled the statement and rolled back. */
const canceled = new Set(["57014", "55P03"]);

/**
 * SQLSTATEs of failures inside the server, and 40003 by its definition: they do not tell whether the
 * transaction was committed.
 */
const unclear = new Set(["XX", "58", "40003"]);

/**
 * Deadlock and serialization failure, as Postgres itself reports them. Our SQL raises neither: its own
 * conflicts are MI055.
 */
const rolledBack = new Set(["40P01", "40001"]);

/**
 * Violations that a concurrent transaction may have caused: a foreign key to a contact that was
 * merged into another one (see the SQL function `merge_contacts`), or a unique key of a contact
 * that was just created.
 */
const perhapsRolledBack = new Set(["23503", "23505"]);

/** PostgREST has not read this function yet, or there is none: it calls nothing. */
const unreadFunction = "PGRST202";

/**
 * What a statement meets when an upgrade replaces its functions or types while it runs: an undefined
 * function, column or table, a type that differs, a plan whose result changed, a function that PostgREST
 * has not read yet. It records nothing, and the next try finds the new ones. A defect stays.
 */
const perhapsReplaced = new Set([
  ...["42883", "42703", "42P01", "42804", "42846", "0A000"],
  unreadFunction,
]);

/** Whether a code is an SQLSTATE: five characters with a digit, unlike EPIPE. */
export function isSqlstate(code: string): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}

/** The transaction was rolled back because of a conflict. The call may be retried at once. */
export class RolledBackError extends AppError {
  constructor() {
    super("service_unavailable");
  }
}

/** The server canceled the statement because it took too long. The transaction was rolled back. */
export class CanceledError extends AppError {
  constructor() {
    super("service_unavailable");
  }
}

/** A defect in the database or in a call to it; carries the SQLSTATE, never the message. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** @param detail what our SQL raised beside the code. */
  constructor(
    rpcName: string,
    readonly code: string,
    options?: ErrorOptions & { readonly detail?: string | undefined },
  ) {
    super(`${rpcName} failed with ${code}`, options);
    this.detail = options?.detail;
  }
  readonly detail: string | undefined;
}

/**
 * Maps the code of a failed call to the error to throw. `detail` is what our SQL raises beside it: the state
 * that forbids the call.
 */
export function toDatabaseError(
  rpcName: string,
  code: string | undefined,
  detail?: string,
): Error {
  const known = code ?? "";
  const refusal = toRefusal(known, detail);
  if (refusal !== null) return refusal;
  if (rolledBack.has(known) || isConflict(known)) return new RolledBackError();
  if (canceled.has(known)) return new CanceledError();
  if (unavailable.has(known) || unavailable.has(known.slice(0, 2))) {
    return new AppError("service_unavailable");
  }
  if (overloaded.has(known)) return refuseOverload(overloadRetryAfterSeconds);
  // Details of Postgres's own errors hold values of rows.
  const ownDetail = findMeaning(known) === undefined ? undefined : detail;
  return new DatabaseError(rpcName, known === "" ? "no_code" : known, { detail: ownDetail });
}

function findMeaning(sqlstate: string): Meaning | undefined {
  const meanings: Readonly<Record<string, Meaning>> = meaningBySqlstate;
  return Object.hasOwn(meanings, sqlstate) ? meanings[sqlstate] : undefined;
}

function isConflict(sqlstate: string): boolean {
  const meaning = findMeaning(sqlstate);
  return typeof meaning === "object" && "isConflict" in meaning;
}

function toRefusal(sqlstate: string, detail: string | undefined): AppError | null {
  const meaning = findMeaning(sqlstate);
  if (meaning === "outside_conversation_window") return refuseClosedWindow(detail);
  if (typeof meaning === "string") return refuseState(meaning, detail);
  if (meaning === undefined || !("path" in meaning)) return null;
  return new AppError("invalid_request", { issues: [meaning] });
}

/** With a ladder `detail` names its rungs and what was wrong with each. */
function refuseClosedWindow(detail: string | undefined): AppError {
  return detail === undefined || detail === ""
    ? new AppError("outside_conversation_window")
    : new AppError("outside_conversation_window", {
      body: { details: { rungs: JSON.parse(detail) } },
    });
}

/** Whether an immediate retry of a failed call may succeed. */
export function isRetryable(error: unknown): boolean {
  return error instanceof RolledBackError ||
    (error instanceof DatabaseError &&
      (perhapsRolledBack.has(error.code) || perhapsReplaced.has(error.code)));
}

/** Whether the call needs a function that PostgREST may know once it has read the schema again. */
export function awaitsSchemaReload(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === unreadFunction;
}

/**
 * Whether a failed call left nothing behind: an SQLSTATE that the server reports for a statement that it
 * ends itself, or a function that was not called. No answer, a lost connection and an unavailable database
 * prove nothing.
 */
export function provesRollback(error: unknown): boolean {
  if (awaitsSchemaReload(error)) return true;
  if (error instanceof DatabaseError) {
    const { code } = error;
    return isSqlstate(code) && !unclear.has(code) && !unclear.has(code.slice(0, 2));
  }
  if (error instanceof RolledBackError || error instanceof CanceledError) return true;
  return error instanceof AppError && error.code !== "service_unavailable";
}
