/** Meta's error body, and the error codes that a planned fault may use. */

export interface GraphError {
  readonly status: number;
  readonly code: number;
  readonly title: string;
  readonly details?: string | undefined;
  readonly subcode?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** A call without a bearer token. */
export const invalidToken: GraphError = {
  status: 401,
  code: 190,
  title: "Invalid OAuth access token.",
};

/** A call for an account that was disabled. */
export const accountLocked: GraphError = {
  status: 403,
  code: 131031,
  title: "Account has been locked",
};

/** The error in Meta's form: the message begins with the code; the details name the flaw. */
export function refuseGraph(error: GraphError): Response {
  const { status, code, title, details, subcode, retryAfterSeconds } = error;
  const headers: Record<string, string> = retryAfterSeconds === undefined
    ? {}
    : { "Retry-After": String(retryAfterSeconds) };
  return Response.json({
    error: {
      message: code === 190 ? title : `(#${code}) ${title}`,
      type: "OAuthException",
      code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      ...(details === undefined ? {} : {
        error_data: { messaging_product: "whatsapp", details },
      }),
      fbtrace_id: `A${crypto.randomUUID().replaceAll("-", "").slice(0, 22)}`,
    },
  }, { status, headers });
}

/** Code, HTTP status and title, from the page "Error codes" of the Cloud API. */
const knownErrors: readonly (readonly [code: number, status: number, title: string])[] = [
  [0, 401, "AuthException"],
  [2, 503, "API Service"],
  [4, 400, "API Too Many Calls"],
  [10, 403, "Permission Denied"],
  [33, 400, "Parameter value is not valid"],
  [100, 400, "Invalid parameter"],
  [190, 401, "Access token expired"],
  [368, 403, "Temporarily blocked for policies violations"],
  [2040, 400, "The user cannot receive this order"],
  [2046, 400, "Invalid order status transition"],
  [2047, 400, "The order has a payment and cannot be canceled"],
  [80007, 400, "Rate limit issues"],
  [130429, 400, "Rate limit hit"],
  [130472, 400, "User's number is part of an experiment"],
  [130497, 400, "Business account is restricted from messaging users in this country"],
  [131000, 500, "Something went wrong"],
  [131005, 403, "Access denied"],
  [131008, 400, "Required parameter is missing"],
  [131009, 400, "Parameter value is not valid"],
  [131016, 500, "Service unavailable"],
  [131021, 400, "Recipient cannot be sender"],
  [131026, 400, "Message undeliverable"],
  [131031, 403, "Account has been locked"],
  [131037, 400, "Display name is not approved"],
  [131042, 400, "Business eligibility payment issue"],
  [131045, 500, "Incorrect certificate"],
  [131047, 400, "Re-engagement message"],
  [131048, 400, "Spam rate limit hit"],
  [131049, 400, "Meta chose not to deliver"],
  [131050, 400, "User stopped marketing messages"],
  [131051, 400, "Unsupported message type"],
  [131052, 400, "Media download error"],
  [131053, 400, "Media upload error"],
  [131056, 400, "(Business Account, Consumer Account) pair rate limit hit"],
  [131057, 500, "Account in maintenance mode"],
  [132000, 400, "Number of parameters does not match the expected number of params"],
  [132001, 404, "Template name does not exist in the translation"],
  [132005, 400, "Translated text too long"],
  [132007, 400, "Template format character policy violated"],
  [131064, 400, "Direct Send limit reached after category violations"],
  [132012, 400, "Parameter format does not match format in the created template"],
  [132015, 400, "Template is paused"],
  [132016, 400, "Template is disabled"],
  [132018, 400, "A parameter has line breaks, tabs or more than 4 spaces in a row"],
  [133004, 503, "Server temporarily unavailable"],
  [133010, 400, "Phone number not registered"],
  [139100, 400, "Failed to block/unblock some users"],
  [139101, 400, "Block list limit reached"],
  [139200, 400, "No access to Direct Send"],
];

/** The documented error of a code; a 400 for an unlisted code. */
export function describeFault(code: number): GraphError {
  const known = knownErrors.find(([knownCode]) => knownCode === code);
  const [, status, title] = known ?? [code, 400, "Invalid parameter"];
  return { status, code, title, details: `${title}.` };
}
