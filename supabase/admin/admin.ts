/** `deno task admin`: admin-api from the command line. `--help` says what there is. */

import { openAdminApi } from "./admin_api.ts";
import { defaultPort, localSecretKey, originOf } from "../local/settings.ts";
import { runAdminCommand } from "./commands.ts";

// An empty variable is an absent one.
const apiUrl = Deno.env.get("API_URL") || Deno.env.get("SUPABASE_URL") || originOf(defaultPort);
const secretKey = Deno.env.get("SUPABASE_SECRET_KEY") || localSecretKey;

/** A reader that has read enough (`| head`) is no error. */
function write(stream: typeof Deno.stdout | typeof Deno.stderr, text: string): void {
  try {
    stream.writeSync(new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

Deno.exit(
  await runAdminCommand({
    api: openAdminApi(apiUrl.replace(/\/+$/, ""), secretKey),
    print: (text) => write(Deno.stdout, text),
    printError: (text) => write(Deno.stderr, text),
    readFile: (path) => Deno.readTextFile(path),
    readStdin: () => new Response(Deno.stdin.readable).text(),
  }, Deno.args),
);
