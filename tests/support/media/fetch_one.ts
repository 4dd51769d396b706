/**
 * A program of its own: fetches files into Supabase Storage as the dispatcher does, and prints what that
 * took, one JSON line a file. `<storage URL> <its key> <file URL>...`
 */

import { fetchTimeouts } from "../../../shared/media/fetch_file.ts";
import { createSupabaseStorage } from "../../../shared/media/supabase_storage.ts";
import { fetchMedia } from "../../../shared/outbox/media_fetch.ts";
import { FetchBudget } from "../../../shared/outbox/fetch_budget.ts";
import type { Provider } from "../../../shared/providers/provider.ts";
import { HostResolution } from "../../../shared/runtime/host_resolution.ts";

const [storageUrl = "", secretKey = "", ...urls] = Deno.args;
const services = {
  storage: createSupabaseStorage({ url: storageUrl, secretKey }),
  openProvider: (): Promise<Provider> =>
    Promise.resolve({
      locateFile: ({ url = "" }: { readonly url?: string }) =>
        Promise.resolve({
          outcome: "found",
          locations: [{ url, headers: {}, trustedBaseUrl: null }],
        }),
    } as unknown as Provider),
  rules: { ...fetchTimeouts, allowsPrivateHosts: true, hosts: new HostResolution() },
  providerTimeoutMs: 5_000,
  log: { info: () => {}, error: () => {} },
};

for (const url of urls) {
  const before = Deno.memoryUsage().rss;
  const startedAt = performance.now();
  let peak = before;
  const sampling = setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss), 5);
  const outcome = await fetchMedia(services, {
    mediaId: crypto.randomUUID(),
    instanceId: crypto.randomUUID(),
    provider: "zapi",
    sealedProviderConfig: "",
    kind: "document",
    mimeType: "application/pdf",
    sha256: null,
    filename: null,
    source: { url },
    storagePath: `${crypto.randomUUID()}/${crypto.randomUUID()}`,
    hadWrongSha256: false,
    isVoice: false,
  }, { signal: new AbortController().signal, budget: new FetchBudget(1_000) });
  clearInterval(sampling);
  peak = Math.max(peak, Deno.memoryUsage().rss);
  // deno-lint-ignore no-console
  console.log(JSON.stringify({
    ...outcome,
    grownBytes: peak - before,
    durationMs: Math.round(performance.now() - startedAt),
  }));
}
