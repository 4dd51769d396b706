/**
 * Reads which release answers at an address: the header `X-Api-Version` of any answer.
 *
 * @returns `null` where nothing answers within ten seconds, and for functions older than 1.0.0.
 */
export async function readDeployedVersion(apiUrl: string): Promise<string | null> {
  try {
    const response = await fetch(`${apiUrl}/functions/v1/api-docs`, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
    });
    await response.body?.cancel();
    return response.headers.get("X-Api-Version");
  } catch {
    return null;
  }
}
