/**
 * `GET`, `POST` and `DELETE /{version}/{WABA id}/message_templates`, and `POST /{version}/{template id}`
 * (page Template management). Meta accepts calls without a version too.
 */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { declaresJson, listFlaws, readBearerToken, readJson } from "../json_request.ts";
import type { CloudContext } from "./context.ts";
import { invalidToken, refuseGraph } from "./errors.ts";
import { accountLimit } from "./template_library.ts";
import type { SimulatedTemplateRecord, TemplateComponent } from "./template_record.ts";

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
 * The account's templates: their paged list, the creation of one, which then awaits its review, its edits
 * and its deletion.
 */
export function createTemplateRoutes(simulator: CloudContext): Hono {
  const app = new Hono();
  for (const path of ["/:version{v[0-9]+\\.[0-9]+}/:wabaId/message_templates", unversioned]) {
    app.get(path, (context) => withToken(context, () => listTemplates(simulator, context)));
    app.post(path, (context) => withToken(context, () => createTemplate(simulator, context)));
    app.delete(path, (context) => withToken(context, () => removeTemplates(simulator, context)));
  }
  app.post(
    "/:version{v[0-9]+\\.[0-9]+}/:templateId{[0-9]+}",
    (context) => withToken(context, () => editTemplate(simulator, context)),
  );
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
  const owned = simulator.templates.list(context.req.param("wabaId") ?? "");
  // Nothing here is made of messages that were sent directly.
  const isGenerated = url.searchParams.get("source") === "AUTO_GENERATED";
  const templates = isGenerated
    ? []
    : owned.filter((template) => wanted.every(([field, value]) => template[field] === value));
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
    ...(url.searchParams.has("summary")
      ? {
        summary: {
          total_count: templates.length,
          message_template_count: owned.length,
          message_template_limit: accountLimit,
        },
      }
      : {}),
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
  const flaw = findWordingFlaw(parsed.data.components);
  if (flaw !== undefined) return refuseTemplate(...flaw);
  const template = simulator.templates.create(context.req.param("wabaId") ?? "", parsed.data);
  if (typeof template === "string") return refuseTemplate(...refusals[template]);
  simulator.store.announce({ type: "faults_changed" });
  const { id, status, category } = template;
  return Response.json({ id, status, category });
}

type Refusal = readonly [subcode: number, details: string];

const refusals: Readonly<Record<"exists" | "deleted" | "full", Refusal>> = {
  exists: [2_388_024, "Content in this language already exists."],
  deleted: [2_388_023, "New content can't be added while the existing content is being deleted."],
  full: [2_388_019, "The account has as many templates as it may have."],
};

const editRefusals = {
  not_editable: "Only an approved, rejected or paused template can be edited.",
  category_fixed: "The category of an approved template cannot be changed.",
  too_often: "An approved template can be edited once in 24 hours and 10 times in 30 days.",
} as const;

/** What Meta refuses of a wording before anybody reviews it (page Template creation errors). */
function findWordingFlaw(components: readonly TemplateComponent[]): Refusal | undefined {
  const longest: Readonly<Record<string, number>> = { HEADER: 60, FOOTER: 60, BODY: 1_024 };
  const long = components.find(({ type, text = "" }) =>
    [...text].length > (longest[type] ?? 1_024)
  );
  if (long !== undefined) return [2_388_040, `The ${long.type.toLowerCase()} is too long.`];
  const body = components.find(({ type }) => type === "BODY")?.text?.trim() ?? "";
  return /^\{\{|\}\}$/.test(body)
    ? [2_388_299, "Variables can't be at the start or end of the template."]
    : undefined;
}

function refuseTemplate(subcode: number, details: string): Response {
  return refuseGraph({ status: 400, code: 100, subcode, title: "Invalid parameter", details });
}

const editSchema = z.object({
  category: templateSchema.shape.category.optional(),
  components: templateSchema.shape.components.optional(),
});

async function editTemplate(
  { templates, store }: CloudContext,
  context: Context,
): Promise<Response> {
  const body = declaresJson(context.req.raw) ? await readJson(context.req.raw) : {};
  const parsed = editSchema.safeParse(body);
  if (!parsed.success) {
    const path = listFlaws(parsed.error, body)[0]?.path ?? "body";
    return refuseGraph({
      ...{ status: 400, code: 100, title: "Invalid parameter" },
      details: `Param ${path} is not valid.`,
    });
  }
  const { category, components } = parsed.data;
  const flaw = findWordingFlaw(components ?? []);
  if (flaw !== undefined) return refuseTemplate(...flaw);
  const edited = templates.edit(context.req.param("templateId") ?? "", {
    ...(category === undefined ? {} : { category }),
    ...(components === undefined ? {} : { components }),
  });
  if (edited === "unknown") return refuseTemplate(33, "The object does not exist.");
  if (typeof edited === "string") return refuseTemplate(2_388_025, editRefusals[edited]);
  store.announce({ type: "faults_changed" });
  return Response.json({
    ...{ success: true, id: edited.id, name: edited.name, category: edited.category },
  });
}

/** By its name alone every language is deleted, as at Meta. */
function removeTemplates({ templates, store }: CloudContext, context: Context): Response {
  const { req } = context;
  const name = req.query("name") ?? "";
  const removed = templates.remove(req.param("wabaId") ?? "", name, req.query("hsm_id") ?? null);
  store.announce({ type: "faults_changed" });
  return removed > 0
    ? Response.json({ success: true })
    : refuseTemplate(2_593_002, "The template was not found.");
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
