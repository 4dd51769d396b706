import { AppError, type Issue } from "../model/errors.ts";
import { barePhone, findPhoneFault } from "../model/phone.ts";

const impossiblePhoneMessage =
  "This phone number cannot exist: send phone with its country code, such as 5511988887777 for Brazil; POST /functions/v1/sanitize-phone-number adds it with country, such as BR.";

/**
 * The refusal of invalid fields: `invalid_phone` where `phone` is a text and no phone number, also among
 * other issues, else `invalid_request` (decisions, section 1).
 */
export function refuseFields(
  { phone }: Readonly<Record<string, unknown>>,
  issues: readonly Issue[],
): AppError {
  if (typeof phone !== "string" || !issues.some(({ path }) => path === "phone")) {
    return new AppError("invalid_request", { issues });
  }
  const isImpossible = findPhoneFault(barePhone(phone)) === "impossible";
  return new AppError("invalid_phone", {
    issues,
    ...(isImpossible ? { message: impossiblePhoneMessage } : {}),
  });
}
