/** A stand-in for Meta's list of templates, and an instance that reads it. */

import type { AdminClient } from "./admin_client.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";

export interface TemplateProvider extends AsyncDisposable {
  readonly baseUrl: string;
  /** Without those for what Meta has made itself. */
  readonly requests: readonly { readonly url: URL; readonly authorization: string | null }[];
  /** What the account has; given out in pages of `pageSize`. */
  templates: readonly Record<string, unknown>[];
  pageSize: number;
  /** Replaces the list's answer. */
  answer?: ((url: URL) => Response | Promise<Response>) | undefined;
}

export function startTemplateProvider(): TemplateProvider {
  const requests: { url: URL; authorization: string | null }[] = [];
  const server = startTestServer(
    async (request) => {
      const url = new URL(request.url);
      const authorization = request.headers.get("authorization");
      if (!url.searchParams.has("source")) requests.push({ url, authorization });
      return await (provider.answer ?? answerPage)(url);
    },
  );
  const answerPage = (url: URL): Response => {
    // None of these was made by Meta itself.
    if (url.searchParams.has("source")) return Response.json({ data: [] });
    const start = Number(url.searchParams.get("after")?.slice("cursor-".length) ?? 0);
    const end = start + provider.pageSize;
    const isLast = end >= provider.templates.length;
    return Response.json({
      data: provider.templates.slice(start, end),
      paging: {
        cursors: { before: `cursor-${start}`, after: `cursor-${end}` },
        // Another host: following it never ends.
        ...(isLast ? {} : { next: `https://elsewhere.example/next?access_token=x&after=${end}` }),
      },
    });
  };
  const provider: TemplateProvider = {
    baseUrl: server.origin,
    requests,
    templates: [],
    pageSize: 2,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return provider;
}

/** Configuration of an official instance at the provider. */
export function officialConfig(baseUrl: string): Record<string, unknown> {
  return {
    baseUrl,
    phoneNumberId: `1065${Math.floor(Math.random() * 1e9)}`,
    accessToken: "secret-access-token",
    appSecret: "secret-app",
    verifyToken: "secret-verify",
    wabaId: "10229",
  };
}

/** A new instance of the official channel, in its workspace. */
export async function createOfficialInstance(
  client: AdminClient,
  workspaceId: string,
  providerConfig: Record<string, unknown>,
): Promise<string> {
  const { instanceId } = await client.create("/instances", {
    workspaceId,
    name: "Oficial",
    provider: "whatsapp_cloud",
    providerConfig,
    connectedPhone: "551140001234",
    timeZone: "America/Sao_Paulo",
  });
  return instanceId;
}

/** A template as Meta lists it. */
export function listed(
  id: string,
  name: string,
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    id,
    name,
    language: "pt_BR",
    status: "APPROVED",
    category: "UTILITY",
    parameter_format: "POSITIONAL",
    components: [{ type: "BODY", text: "Olá {{1}}" }],
    ...changes,
  };
}
