import * as z from "zod";

const issueSchema = z.object({ path: z.string(), message: z.string() });
const refusalSchema = z.object({
  error: z.string(),
  message: z.string().optional(),
  issues: z.array(issueSchema).optional(),
});

/** What admin-api refused, in lines for a person; never a secret. */
export class AdminApiError extends Error {
  override readonly name = "AdminApiError";
}

export type AdminAnswer = Readonly<Record<string, unknown>>;

/** Calls admin-api with the project's secret key. */
export interface AdminApi {
  /** @throws {AdminApiError} where the API refuses, or nothing answers. */
  call(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<AdminAnswer>;
}

/** @param apiUrl where `/functions/v1` is, without a trailing slash. */
export function openAdminApi(apiUrl: string, secretKey: string): AdminApi {
  return {
    call: async (method, path, body) => {
      const response = await reach(`${apiUrl}/functions/v1/admin-api/${path}`, {
        method,
        headers: { apikey: secretKey, "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: new Blob([JSON.stringify(body)]) }),
      });
      const answer: unknown = await response.json().catch(() => null);
      if (response.ok) return answer as AdminAnswer;
      throw new AdminApiError(describeRefusal(response.status, answer));
    },
  };
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
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
