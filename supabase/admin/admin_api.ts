import * as z from "zod";
import { toVisibleLine } from "../../shared/model/visible_text.ts";

const issueSchema = z.object({ path: z.string(), message: z.string() });
const refusalSchema = z.object({
  error: z.string(),
  message: z.string().optional(),
  issues: z.array(issueSchema).optional(),
});

/** The members of every success response. */
const answerSchema = z.looseObject({ success: z.literal(true) });

/** An error of admin-api as lines for a person. Never contains a secret. */
export class AdminApiError extends Error {
  override readonly name = "AdminApiError";
  /** @param isMisuse whether no call was possible, because API_URL or the key is invalid. */
  constructor(message: string, readonly isMisuse = false) {
    super(message);
  }
}

export type AdminAnswer = Readonly<Record<string, unknown>>;

/** The message for a response that is not from this API. */
export const unexpectedResponse =
  "The response is not from admin-api, or from another version of it. Check API_URL, and that the project is deployed.";

/** Calls admin-api with the project's secret key. */
export interface AdminApi {
  /** @throws {AdminApiError} for an error of the API, and where the API does not respond. */
  call(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<AdminAnswer>;
}

/**
 * @param apiUrl the base URL of `/functions/v1`, without a trailing slash.
 * @param readSecretKey called before each request, so that a command without requests needs no key.
 */
export function openAdminApi(apiUrl: string, readSecretKey: () => Promise<string>): AdminApi {
  return {
    call: async (method, path, body) => {
      checkAddress(apiUrl);
      const secretKey = await readSecretKey();
      checkKey(secretKey);
      const response = await fetchApi(`${apiUrl}/functions/v1/admin-api/${path}`, {
        method,
        headers: { apikey: secretKey, "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: new Blob([JSON.stringify(body)]) }),
      });
      const answer: unknown = await response.json().catch(() => null);
      if (!response.ok) throw new AdminApiError(describeRefusal(response.status, answer));
      const { success, data } = answerSchema.safeParse(answer);
      if (!success) throw new AdminApiError(unexpectedResponse);
      return data;
    },
  };
}

/** @throws {AdminApiError} whose message omits the address, because it may hold a secret. */
function checkAddress(apiUrl: string): void {
  if (!/^https?:$/.test(URL.parse(apiUrl)?.protocol ?? "")) {
    throw new AdminApiError(
      "API_URL (or SUPABASE_URL) is not a valid URL, such as https://<project>.supabase.co.",
      true,
    );
  }
}

/** @throws {AdminApiError} whose message omits the key. */
function checkKey(secretKey: string): void {
  try {
    new Headers({ apikey: secretKey });
  } catch {
    throw new AdminApiError(
      "SUPABASE_SECRET_KEY is not a valid key: it contains characters that an HTTP header cannot contain.",
      true,
    );
  }
}

async function fetchApi(url: string, init: RequestInit): Promise<Response> {
  try {
    // A redirect would send the key to another server.
    return await fetch(url, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.timeout(60_000),
    });
  } catch {
    throw new AdminApiError(
      `No response from ${
        new URL(url).origin
      }. Start the local stack with deno task start, or check API_URL.`,
    );
  }
}

function describeRefusal(status: number, answer: unknown): string {
  const refusal = refusalSchema.safeParse(answer);
  if (!refusal.success) return `The API returned ${status} without a readable error.`;
  const { error, message, issues = [] } = refusal.data;
  return [
    `${error} (${status}): ${message ?? ""}`.trim(),
    ...issues.map((issue) => `  ${issue.path}: ${issue.message}`),
  ].map(toVisibleLine).join("\n");
}

/** Reads a batch with the client token of its instance. @throws {AdminApiError} */
export function openBatchReader(
  apiUrl: string,
  clientToken: string,
): (batchId: string) => Promise<unknown> {
  return async (batchId) => {
    checkAddress(apiUrl);
    const url = `${apiUrl}/functions/v1/batches-api/batches/${encodeURIComponent(batchId)}`;
    const response = await fetchApi(url, {
      method: "GET",
      headers: { "X-Client-Token": clientToken },
    });
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new AdminApiError(describeRefusal(response.status, answer));
    return answer;
  };
}
