/**
 * `deno task start`: the whole product on one machine, without Docker or an account.
 * `--data-api` runs the functions on the transport of the platform (supabase-js).
 */
import { PostgresStartError } from "./postgres_start_error.ts";
import { readSettings } from "./settings.ts";
import { type Stack, startStack } from "./stack.ts";

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function describeStack({ origin, demo, dataDir }: Stack): string {
  return `
Messaging Integration API on ${origin}

  Console      ${origin}/
  Instance     ${demo.instanceId}
  Token        ${demo.clientToken}
  Data         ${dataDir}

Send a first message; it arrives in the console:

curl -X POST ${origin}/functions/v1/send-message -H 'Content-Type: application/json' -H 'X-Client-Token: ${demo.clientToken}' -d '{"instanceId":"demo","phone":"5511988887777","messageType":"text","message":"Hello from the API"}'

Ctrl-C stops everything.
`;
}

async function runStack(): Promise<number> {
  let stack: Stack;
  try {
    stack = await startStack(readSettings(Deno.env.toObject(), Deno.args));
  } catch (error) {
    const isExpected = error instanceof PostgresStartError ||
      error instanceof Deno.errors.AddrInUse;
    print(isExpected ? error.message : Deno.inspect(error));
    return 1;
  }
  const asked = Promise.withResolvers<"asked">();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => asked.resolve("asked"));
  }
  print(describeStack(stack));
  const reason = await Promise.race([asked.promise, stack.failed.then(() => "failed" as const)]);
  if (reason === "failed") print("The database has ended by itself; stopping.");
  await stack.stop();
  return reason === "asked" ? 0 : 1;
}

Deno.exit(await runStack());
