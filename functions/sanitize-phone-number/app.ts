import type { Context, Hono } from "hono";
import { AppError } from "../../shared/model/errors.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { readJsonBody } from "../../shared/http/json_body.ts";
import { findUnstorableText } from "../../shared/http/storable_text.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { maxFormattedPhoneLength, sanitizePhone } from "../../shared/model/phone.ts";
import { sanitizePhoneNumberResponseSchema } from "./contract.ts";
import type { CompletedPhone } from "./phone_of_country.ts";

/**
 * The phone with its country code. The numbering plans of all countries are loaded by the first call
 * that names a country: the others start and answer without them.
 *
 * @throws {AppError} `invalid_request` for what is no country.
 */
async function completePhone(phone: string, country: unknown): Promise<CompletedPhone> {
  if (typeof country === "string" && /^[A-Za-z]{2}$/.test(country)) {
    const { completePhoneIn } = await import("./phone_of_country.ts");
    const completed = completePhoneIn(country.toUpperCase(), phone);
    if (completed !== null) return completed;
  }
  const message = "must be the two letters of a country (ISO 3166), such as BR";
  throw new AppError("invalid_request", { issues: [{ path: "country", message }] });
}

/**
 * POST /functions/v1/sanitize-phone-number (specification 4.6): public, without a database.
 * Validates without zod, because zod would be most of this function's code at start.
 */
export function createSanitizePhoneNumberApp(log: Log): Hono {
  const handle = async (context: Context): Promise<Response> => {
    const { phone, country, ...unknownFields } = await readJsonBody(context);
    context.set("ignoredFields", Object.keys(unknownFields).slice(0, 100));
    if (typeof phone !== "string" || phone === "" || phone.length > maxFormattedPhoneLength) {
      const message = (phone ?? undefined) === undefined
        ? "is required"
        : `must be text of 1 to ${maxFormattedPhoneLength} characters`;
      throw new AppError("invalid_request", { issues: [{ path: "phone", message }] });
    }
    const issues = findUnstorableText({ phone, country });
    if (issues.length > 0) throw new AppError("invalid_request", { issues });
    const answer = (country ?? undefined) === undefined
      ? { sanitized: sanitizePhone(phone) }
      : await completePhone(phone, country);
    return answerJson(context, sanitizePhoneNumberResponseSchema, {
      success: true,
      original: phone,
      ...answer,
    });
  };
  const routes = [{
    method: "POST",
    path: "/",
    ignoresParameters: true,
    handlers: [handle],
  }] as const;
  return createApp({ slug: "sanitize-phone-number", log, routes });
}
