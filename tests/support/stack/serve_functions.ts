/**
 * Serves every function of a checkout on PORT, as the platform deploys them: the process has the
 * checkout's import map. SIGTERM ends it after the requests in progress and their background tasks.
 *
 *     deno run -A --config <checkout>/deno.json serve_functions.ts <checkout>
 */

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { loadFunctions } from "../../../supabase/host/functions_host.ts";

const [checkout = "."] = Deno.args;
const folder = pathToFileURL(join(resolve(checkout), "functions/"));
const functions = await loadFunctions(folder, Deno.env.toObject());
const server = Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")), onListen: () => {} },
  (request) => functions.fetch(request),
);
Deno.addSignalListener("SIGTERM", async () => {
  await functions.close();
  await server.shutdown();
  Deno.exit(0);
});
