/**
 * A program that starts a function on PORT, for runtimes that do not know DENO_SERVE_ADDRESS (Deno
 * 2.1): `serve_on_port.ts <module>`.
 */

import { pathToFileURL } from "node:url";

const serve = Deno.serve;
const port = Number(Deno.env.get("PORT"));

Object.defineProperty(Deno, "serve", {
  value: (handler: Deno.ServeHandler) =>
    serve({ hostname: "127.0.0.1", port, onListen: () => {} }, handler),
});
await import(pathToFileURL(Deno.args[0] ?? "").href);
