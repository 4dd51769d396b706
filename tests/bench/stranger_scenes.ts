/** What a stranger without a credential does in the bench `neighbours`. */
import type { HeldConnections } from "./held_connections.ts";
import type { Scene, World } from "./neighbour_scenes.ts";
import { createInstance } from "./stack_process.ts";

/** More than a process has requests in progress. */
const manyConnections = 2_550;

export const strangerScenes: readonly Scene[] = [
  {
    name: "holds 2,550 half-open bodies",
    prepare: (world) =>
      hold(world, {
        count: manyConnections,
        beginning: beginPost("sanitize-phone-number", 100, "Content-Type: application/json"),
      }),
  },
  {
    name: "holds 2,550 half-open heads",
    prepare: (world) =>
      hold(world, { count: manyConnections, beginning: "GET /functions/v1/messages-api HTTP" }),
  },
  {
    name: "holds 500 deliveries with false signatures",
    prepare: async (world) => {
      const { instanceId } = await createOfficialInstance(world);
      const signature = `X-Hub-Signature-256: sha256=${"0".repeat(64)}`;
      const path = `provider-webhook/whatsapp_cloud/${instanceId}`;
      return await hold(world, { count: 500, beginning: beginPost(path, 3_000_000, signature) });
    },
  },
];

/** The head of a call, and the first byte of its body. */
function beginPost(path: string, bytes: number, line: string): string {
  const target = `POST /functions/v1/${path} HTTP/1.1`;
  return [target, "Host: 127.0.0.1", line, `Content-Length: ${bytes}`, "", "{"].join("\r\n");
}

async function hold(
  { stack }: World,
  connections: Pick<HeldConnections, "count" | "beginning">,
): Promise<() => Promise<() => Promise<unknown>>> {
  const port = Number(new URL(stack.origin).port);
  return await Promise.resolve(async () => {
    const worker = new Worker(new URL("./held_connections.ts", import.meta.url), {
      type: "module",
    });
    await new Promise((resolve) => {
      worker.onmessage = resolve;
      worker.postMessage({ port, ...connections } satisfies HeldConnections);
    });
    return () => Promise.resolve(worker.terminate());
  });
}

function createOfficialInstance({ stack }: World): Promise<{ readonly instanceId: string }> {
  return createInstance(stack.origin, officialNumber++, "", undefined, {
    provider: "whatsapp_cloud",
    providerConfig: {
      phoneNumberId: `10000${officialNumber}`,
      wabaId: "20000",
      accessToken: "bench-access-token",
      appSecret: "bench-app-secret",
      verifyToken: "bench-verify-token",
    },
  });
}

let officialNumber = 50;
