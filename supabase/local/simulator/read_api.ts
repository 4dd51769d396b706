/** Endpoints by which tests and the console read the simulator's logs and plan faults. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { streamEvents } from "./events.ts";
import { faultRequestSchema, normalizeRecipient } from "./faults.ts";
import { listFlaws, parseValue, readJson } from "./json_request.ts";
import { channelKinds } from "./records.ts";
import type { SimulatorContext } from "./context.ts";
import { logNames, type RecordKinds } from "./store.ts";

const querySchema = z.object({
  provider: z.enum(channelKinds).optional(),
  instance: z.string().optional(),
  to: z.string().transform(normalizeRecipient).optional(),
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(5_000).default(100),
});
type Query = z.infer<typeof querySchema>;
type AnyRecord = RecordKinds[keyof RecordKinds];

/** The routes directly below `/simulator`: the logs, the faults and the event stream. */
export function createReadApi(simulator: SimulatorContext): Hono {
  const app = new Hono();
  for (const kind of logNames) {
    app.get(`/${kind}`, (context) => {
      const query = parseValue(querySchema, context.req.query());
      if (!query.success) return refuseFlaws(query.error, context.req.query());
      const { after, limit } = query.data;
      const matches = (entry: AnyRecord): boolean => fitsQuery(entry, query.data);
      return Response.json(simulator.store.logs[kind].read({ matches, after, limit }));
    });
    app.delete(`/${kind}`, () => Response.json({ deleted: simulator.store.clear(kind) }));
  }
  app.get("/events", () => streamEvents(simulator.store, simulator.closing));
  app.get("/faults", () => Response.json({ items: simulator.faults.list() }));
  app.post("/faults", (context) => planFault(simulator, context));
  app.delete("/faults", () => {
    const deleted = simulator.faults.clear();
    simulator.store.announce({ type: "faults_changed" });
    return Response.json({ deleted });
  });
  return app;
}

async function planFault(simulator: SimulatorContext, context: Context): Promise<Response> {
  const body = await readJson(context.req.raw);
  const request = parseValue(faultRequestSchema, body);
  if (!request.success) return refuseFlaws(request.error, body);
  const fault = simulator.faults.add(request.data);
  simulator.store.announce({ type: "faults_changed" });
  return Response.json(fault, { status: 201 });
}

function fitsQuery(entry: AnyRecord, query: Query): boolean {
  const { provider, instance, to } = query;
  if (provider !== undefined && !("provider" in entry && entry.provider === provider)) return false;
  if (instance !== undefined && !("instance" in entry && entry.instance === instance)) return false;
  if (to === undefined) return true;
  if ("waId" in entry && entry.waId === to) return true;
  if ("waId" in entry) return "to" in entry && entry.to === to;
  return "to" in entry && entry.to.some((recipient) => normalizeRecipient(recipient) === to);
}

function refuseFlaws(error: z.ZodError, input: unknown): Response {
  const issues = listFlaws(error, input).map(({ path, message }) => ({ path, message }));
  return Response.json({ error: "invalid_request", issues }, { status: 400 });
}
