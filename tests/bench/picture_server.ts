/** Serves one picture of 200 kB at every path, as a provider's storage does. A program of its own. */

const picture = new Uint8Array(200_000);
picture.set([0xff, 0xd8, 0xff, 0xe0]);

const port = Number(Deno.env.get("PORT"));
await Deno.serve(
  { hostname: "127.0.0.1", port, onListen: () => {} },
  () => new Response(picture, { headers: { "Content-Type": "image/jpeg" } }),
).finished;
