/**
 * A program that listens on PORT: an endpoint with nothing but database calls. Like an immediate send it
 * reads once and commits a row twice; with WRITES=3 all three calls commit a row, with CALLS=2 there is no
 * read. With PROVIDER_URL it also calls that URL before the last write, as a send calls its provider.
 */

import { Hono } from "hono";
import postgres from "postgres";

const sql = postgres(Deno.env.get("DATABASE_URL") ?? "", {
  max: 20,
  connection: { role: "service_role" },
});
const callCount = Number(Deno.env.get("CALLS") ?? "3");
const writes = Number(Deno.env.get("WRITES"));
const providerUrl = Deno.env.get("PROVIDER_URL");
const app = new Hono();

app.get("/", (context) => context.text("ok"));
app.post("/", async (context) => {
  const { phone, message } = await context.req.json();
  const calls = Array.from(
    { length: callCount },
    (_, place) => callCount - place > writes ? "read" : "write",
  );
  let last: unknown;
  for (const [place, call] of calls.entries()) {
    if (place === callCount - 1 && providerUrl !== undefined) {
      await callProvider(providerUrl, phone, message);
    }
    const rows = call === "read"
      ? await sql`select bench.read_step(${phone}) as id`
      : await sql`select bench.write_step(${phone}, ${message}) as id`;
    last = rows[0]?.["id"];
  }
  return context.json({ success: true, id: last });
});

async function callProvider(url: string, phone: string, message: string): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ phone, message }),
  });
  await response.json();
}

Deno.serve({
  hostname: "127.0.0.1",
  port: Number(Deno.env.get("PORT")),
  onListen: () => {},
}, app.fetch);
