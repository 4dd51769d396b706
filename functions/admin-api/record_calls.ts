import type { RecordedResult } from "../../shared/database/rpcs/idempotency.ts";
import type { Refusal } from "../../shared/database/rpcs/tenancy.ts";
import { AppError } from "../../shared/model/errors.ts";
import { type Recorded, toRecorded } from "../../shared/idempotency/recorded_call.ts";

interface CallOptions {
  /** The request's unique field, which the issue names when another record has its value. */
  readonly uniqueField?: string | undefined;
  /**
   * Maps a name that the SQL function returns in `taken` to the request's field. Default: the same
   * name.
   */
  readonly uniqueFields?: Readonly<Record<string, string>>;
}

/**
 * Returns the outcome of an SQL function that executes a POST once per `Idempotency-Key`.
 *
 * @throws {AppError} the function's error, with `issues` where fields are invalid.
 */
export async function executeOnce<Outcome extends object>(
  call: Promise<RecordedResult<Outcome> | Refusal>,
  options: CallOptions = {},
): Promise<Recorded<Outcome>> {
  return toRecorded<Outcome>(await refuseInvalid<RecordedResult<Outcome>>(call, options));
}

/**
 * Returns the record that an SQL function has changed.
 *
 * @throws {AppError} as `executeOnce`.
 */
export function changeRecord<Stored extends object>(
  call: Promise<Stored | Refusal>,
  options: CallOptions = {},
): Promise<Stored> {
  return refuseInvalid(call, options);
}

async function refuseInvalid<Answer extends object>(
  call: Promise<Answer | Refusal>,
  { uniqueField, uniqueFields = {} }: CallOptions,
): Promise<Answer> {
  try {
    const answer = await call;
    if (isRefusal(answer)) throw toError(answer, uniqueFields);
    return answer;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "already_exists")) throw error;
    throw error.extras.issues === undefined ? isTaken(uniqueField ?? "") : error;
  }
}

/** Distinguishes an error from a record: no record has members of these names. */
function isRefusal(answer: object): answer is Refusal {
  return "issues" in answer || "taken" in answer;
}

function toError(refusal: Refusal, uniqueFields: Readonly<Record<string, string>>): AppError {
  return "issues" in refusal
    ? new AppError("invalid_request", { issues: refusal.issues })
    : isTaken(uniqueFields[refusal.taken] ?? refusal.taken);
}

function isTaken(path: string): AppError {
  return new AppError("already_exists", {
    issues: [{ path, message: "is taken by another record" }],
  });
}
