/**
 * Runs one function's unmodified `index.ts` as the hosted runtime does. Takes the handler from
 * `Deno.serve` and ignores its port and signal. Removes the APIs that the platform does not
 * provide. Run it with the platform's version of Deno.
 *
 *     deno run --allow-net --allow-env --allow-read hosted_runtime.ts <URL of an index.ts>
 *
 * Prints the line `listening on <port>`.
 */

/**
 * Absent from the hosted runtime, according to its source: processes, native libraries, cron,
 * key-value store, exit.
 */
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
