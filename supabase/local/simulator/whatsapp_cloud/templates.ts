/**
 * `GET` and `POST /{version}/{WABA id}/message_templates` (page Template management). Meta accepts
 * calls without a version too.
 */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { declaresJson, listFlaws, readBearerToken, readJson } from "../json_request.ts";
import type { CloudContext } from "./context.ts";
import { invalidToken, refuseGraph } from "./errors.ts";
import type { SimulatedTemplateRecord } from "./template_record.ts";

const componentSchema = z.looseObject({
  type: z.string().toUpperCase().pipe(
    z.enum(["HEADER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL", "LIMITED_TIME_OFFER"]),
  ),
  format: z.string().toUpperCase().optional(),
  text: z.string().min(1).max(1_024).optional(),
});
const templateSchema = z.object({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/),
  language: z.string().regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/),
  category: z.string().toUpperCase().pipe(z.enum(["UTILITY", "MARKETING", "AUTHENTICATION"])),
  parameter_format: z.string().toUpperCase().pipe(z.enum(["NAMED", "POSITIONAL"]))
    .default("POSITIONAL"),
  components: z.array(componentSchema).min(1).refine(
    (components) => components.some(({ type }) => type === "BODY"),
    "a BODY is required",
  ),
});

/**
 * The account's templates: their paged list, and the creation of one, which then awaits its review.
 */
export function createTemplateRoutes(simulator: CloudContext): Hono {
  const app = new Hono();
  for (const path of ["/:version{v[0-9]+\\.[0-9]+}/:wabaId/message_templates", unversioned]) {
    app.get(path, (context) => withToken(context, () => listTemplates(simulator, context)));
    app.post(path, (context) => withToken(context, () => createTemplate(simulator, context)));
  }
  return app;
}

const unversioned = "/:wabaId{[0-9]+}/message_templates";

function withToken(
  context: Context,
  answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
  return readBearerToken(context.req.raw) === undefined ? refuseGraph(invalidToken) : answer();
}

/** A page of `limit` templates after the cursor `after`, with `paging.next` if there are more. */
function listTemplates(simulator: CloudContext, context: Context): Response {
  const url = new URL(context.req.url);
  const wanted = (["name", "language", "status"] as const)
    .map((field) => [field, url.searchParams.get(field)] as const)
    .filter(([, value]) => value !== null);
  const templates = simulator.templates.list(context.req.param("wabaId") ?? "")
    .filter((template) => wanted.every(([field, value]) => template[field] === value));
  const limit = readPositive(url.searchParams.get("limit")) ?? 25;
  const start = readCursor(url.searchParams.get("after"));
  const page: readonly SimulatedTemplateRecord[] = templates.slice(start, start + limit);
  const end = start + page.length;
  const next = new URL(url);
  next.searchParams.set("after", writeCursor(end));
  return Response.json({
    data: page,
    paging: {
      cursors: { before: writeCursor(start), after: writeCursor(end) },
      ...(end < templates.length ? { next: next.href } : {}),
    },
  });
}

async function createTemplate(simulator: CloudContext, context: Context): Promise<Response> {
  const body = declaresJson(context.req.raw) ? await readJson(context.req.raw) : {};
  const parsed = templateSchema.safeParse(body);
  if (!parsed.success) {
    const flaw = listFlaws(parsed.error, body)[0];
    const details = flaw?.missing
      ? `The parameter ${flaw.path} is required.`
      : `Param ${flaw?.path || "body"} is not valid.`;
    return refuseGraph({ status: 400, code: 100, title: "Invalid parameter", details });
  }
  const template = simulator.templates.create(context.req.param("wabaId") ?? "", parsed.data);
  if (template === undefined) {
    return refuseGraph({
      status: 400,
      code: 100,
      subcode: 2_388_024,
      title: "Invalid parameter",
      details: "Content in this language already exists.",
    });
  }
  const { id, status, category } = template;
  return Response.json({ id, status, category });
}

function readPositive(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined;
}

function writeCursor(position: number): string {
  return btoa(`template ${position}`);
}

function readCursor(cursor: string | null): number {
  try {
    return Number(/^template (\d{1,9})$/.exec(atob(cursor ?? ""))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
