/**
 * A program: the smallest function with the same libraries (Hono, zod, supabase-js) and one guarded
 * route. The baseline for the start of `send-message`.
 */

import { createClient } from "@supabase/supabase-js";
import { Hono } from "hono";
import * as z from "zod";

const environment = z.object({ SUPABASE_URL: z.url(), SUPABASE_SECRET_KEY: z.string().min(20) })
  .parse(Deno.env.toObject());
const client = createClient(environment.SUPABASE_URL, environment.SUPABASE_SECRET_KEY, {
  auth: { persistSession: false, autoRefreshToken: false },
});
const requestSchema = z.object({ phone: z.string(), message: z.string() });
const app = new Hono();

app.post("/bare", async (context) => {
  if (context.req.header("x-client-token") === undefined) {
    return context.json({ error: "missing_client_token" }, 401);
  }
  const request = requestSchema.parse(await context.req.json());
  const { data } = await client.rpc("send", { request });
  return context.json({ data });
});

Deno.serve(app.fetch);
