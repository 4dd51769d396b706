import * as z from "zod";

const issueSchema = z.object({ path: z.string(), message: z.string() });
const refusalSchema = z.object({
  error: z.string(),
  message: z.string().optional(),
  issues: z.array(issueSchema).optional(),
});

/** Of every answer but a refusal. */
const answerSchema = z.looseObject({ success: z.literal(true) });

/** What admin-api refused, in lines for a person; never a secret. */
export class AdminApiError extends Error {
  override readonly name = "AdminApiError";
  /** @param isMisuse whether nothing could be asked at all, for API_URL or the key make no sense. */
  constructor(message: string, readonly isMisuse = false) {
    super(message);
  }
}

export type AdminAnswer = Readonly<Record<string, unknown>>;

/** For what is no answer of this API. */
export const foreignAnswer =
  "What answers is not admin-api as this command knows it: is API_URL right, and the project deployed?";

/** Calls admin-api with the project's secret key. */
export interface AdminApi {
  /** @throws {AdminApiError} where the API refuses, or nothing answers. */
  call(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<AdminAnswer>;
}

/**
 * @param apiUrl where `/functions/v1` is, without a trailing slash.
 * @param readSecretKey asked at each call, so that a command that calls nothing needs no key.
 */
export function openAdminApi(apiUrl: string, readSecretKey: () => Promise<string>): AdminApi {
  return {
    call: async (method, path, body) => {
      checkAddress(apiUrl);
      const secretKey = await readSecretKey();
      checkKey(secretKey);
      const response = await reach(`${apiUrl}/functions/v1/admin-api/${path}`, {
        method,
        headers: { apikey: secretKey, "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: new Blob([JSON.stringify(body)]) }),
      });
      const answer: unknown = await response.json().catch(() => null);
      if (!response.ok) throw new AdminApiError(describeRefusal(response.status, answer));
      const { success, data } = answerSchema.safeParse(answer);
      if (!success) throw new AdminApiError(foreignAnswer);
      return data;
    },
  };
}

/** @throws {AdminApiError} without the address, which may hold a secret. */
function checkAddress(apiUrl: string): void {
  if (!/^https?:$/.test(URL.parse(apiUrl)?.protocol ?? "")) {
    throw new AdminApiError(
      "API_URL (or SUPABASE_URL) is no address of an API, such as https://<project>.supabase.co.",
      true,
    );
  }
}

/** @throws {AdminApiError} without the key. */
function checkKey(secretKey: string): void {
  try {
    new Headers({ apikey: secretKey });
  } catch {
    throw new AdminApiError(
      "SUPABASE_SECRET_KEY is no key: it holds characters that no header can carry.",
      true,
    );
  }
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    // A redirection would take the key wherever it points to.
    return await fetch(url, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.timeout(60_000),
    });
  } catch {
    throw new AdminApiError(`Nothing answers at ${new URL(url).origin}: is API_URL right?`);
  }
}

function describeRefusal(status: number, answer: unknown): string {
  const refusal = refusalSchema.safeParse(answer);
  if (!refusal.success) return `The API answered ${status} and nothing readable.`;
  const { error, message, issues = [] } = refusal.data;
  return [
    `${error} (${status}): ${message ?? ""}`.trim(),
    ...issues.map((issue) => `  ${issue.path}: ${issue.message}`),
  ].join("\n");
}
