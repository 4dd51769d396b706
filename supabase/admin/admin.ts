/** `deno task admin`: admin-api from the command line. `--help` says what there is. */

import { openAdminApi } from "./admin_api.ts";
import { defaultPort, localSecretKey, originOf } from "../local/settings.ts";
import { runAdminCommand } from "./commands.ts";

const apiUrl = Deno.env.get("API_URL") ?? Deno.env.get("SUPABASE_URL") ?? originOf(defaultPort);
const secretKey = Deno.env.get("SUPABASE_SECRET_KEY") ?? localSecretKey;

/** A reader that has read enough (`| head`) is no error. */
function print(text: string): void {
  try {
    Deno.stdout.writeSync(new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

Deno.exit(
  await runAdminCommand({
    api: openAdminApi(apiUrl.replace(/\/+$/, ""), secretKey),
    print,
    readFile: (path) => Deno.readTextFile(path),
    readStdin: () => new Response(Deno.stdin.readable).text(),
  }, Deno.args),
);
