/**
 * A program: the smallest function with the libraries of `mcp` (Hono, zod, supabase-js, the protocol's
 * server) and one tool behind a guard. The baseline for the start of `mcp`.
 */

import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createClient } from "@supabase/supabase-js";
import { Hono } from "hono";
import * as z from "zod";

const environment = z.object({ SUPABASE_URL: z.url(), SUPABASE_SECRET_KEY: z.string().min(20) })
  .parse(Deno.env.toObject());
const client = createClient(environment.SUPABASE_URL, environment.SUPABASE_SECRET_KEY, {
  auth: { persistSession: false, autoRefreshToken: false },
});
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  server.registerTool("send", {
    description: "Sends",
    inputSchema: z.object({ phone: z.string(), message: z.string() }),
  }, async (request) => {
    const { data } = await client.rpc("send", { request });
    return { content: [{ type: "text", text: JSON.stringify(data) }] };
  });
  return server;
});
const app = new Hono();

app.post("/mcp", async (context) => {
  if (context.req.header("x-client-token") === undefined) {
    return context.json({ error: "missing_client_token" }, 401);
  }
  return await handler.fetch(context.req.raw);
});

Deno.serve(app.fetch);
