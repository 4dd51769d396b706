/**
 * Runs one function's unmodified `index.ts` as the hosted runtime does: the handler is taken from
 * `Deno.serve`, whose port and signal count for nothing, and what the platform does not give a
 * function is not there. Meant for the platform's version of Deno.
 *
 *     deno run --allow-net --allow-env --allow-read hosted_runtime.ts <URL of an index.ts>
 *
 * Says where it listens as a line `listening on <port>`.
 */

/** Not in the hosted runtime (its source): processes, foreign code, cron, key-value store, exit. */
const absent = ["Command", "run", "kill", "exit", "dlopen", "cron", "openKv", "addSignalListener"];

type Handler = (request: Request) => Response | Promise<Response>;

const [entrypoint = ""] = Deno.args;
const serve = Deno.serve;
const serveHosted = (...args: unknown[]): Deno.HttpServer => {
  const handler = args.find((arg) => typeof arg === "function") as Handler;
  const onListen = ({ port }: Deno.NetAddr): void => {
    Deno.stdout.writeSync(new TextEncoder().encode(`listening on ${port}\n`));
  };
  return serve({ hostname: "127.0.0.1", port: 0, onListen }, handler);
};
Object.defineProperty(Deno, "serve", { value: serveHosted });
for (const name of absent) Object.defineProperty(Deno, name, { value: undefined });

await import(entrypoint);
