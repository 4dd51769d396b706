/**
 * Runs the unmodified `index.ts` of every function in one process, as the platform's runtime does:
 * `Deno.serve` hands over the handler, and where it listens is the host's affair.
 */

type FetchHandler = (request: Request) => Response | Promise<Response>;

export interface FunctionsHost {
  readonly slugs: readonly string[];
  /** Answers `/functions/v1/<slug>/...`; the function sees the path without the first two parts. */
  fetch(request: Request): Promise<Response>;
}

const prefix = "/functions/v1";

/**
 * Loads every folder of `functions/` with the environment it is to see.
 *
 * @throws when a function's `index.ts` fails, or serves nothing.
 */
export async function loadFunctions(
  folder: URL,
  environment: Readonly<Record<string, string>>,
): Promise<FunctionsHost> {
  for (const [name, value] of Object.entries(environment)) Deno.env.set(name, value);
  const handlers = new Map<string, FetchHandler>();
  for await (const entry of Deno.readDir(folder)) {
    if (!entry.isDirectory) continue;
    handlers.set(entry.name, await loadFunction(new URL(`${entry.name}/index.ts`, folder)));
  }
  return {
    slugs: [...handlers.keys()].sort(),
    fetch: async (request) => {
      const url = new URL(request.url);
      url.pathname = url.pathname.slice(prefix.length);
      const handler = handlers.get(url.pathname.split("/")[1] ?? "");
      if (handler === undefined) return functionNotFound();
      return await handler(new Request(url, request));
    },
  };
}

async function loadFunction(module: URL): Promise<FetchHandler> {
  let served: FetchHandler | undefined;
  const serve = Deno.serve;
  const capture = (handler: FetchHandler): void => {
    served = handler;
  };
  Object.defineProperty(Deno, "serve", { value: capture, configurable: true, writable: true });
  try {
    await import(module.href);
  } finally {
    Object.defineProperty(Deno, "serve", { value: serve, configurable: true, writable: true });
  }
  if (served === undefined) throw new Error(`${module.href} does not call Deno.serve`);
  return served;
}

/** The platform's own answer to a function that is not deployed. */
function functionNotFound(): Response {
  return Response.json({ code: "NOT_FOUND", message: "Requested function was not found" }, {
    status: 404,
  });
}
