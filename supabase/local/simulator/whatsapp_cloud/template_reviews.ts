/** What Meta's reviewers and its rating decide about a template, and how it tells so. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { withBody } from "../json_request.ts";
import type { CloudContext } from "./context.ts";
import { composeAccountNews } from "./events.ts";
import {
  type SimulatedTemplateRecord,
  templateCategories,
  type TemplateComponent,
  templateQualities,
  templateStatuses,
} from "./template_record.ts";

const templateId = z.string().min(1);

/** The decisions of Meta's reviewers on a template. */
const reviewSchema = z.object({
  templateId,
  status: z.enum(templateStatuses),
  reason: z.string().regex(/^[A-Z_]{1,50}$/, "must look like PROMOTIONAL").optional(),
});

/** Meta gives a template another category: it announces it a day before, then does it. */
const categorySchema = z.object({
  templateId,
  category: z.enum(templateCategories),
  when: z.enum(["tomorrow", "now"]).default("tomorrow"),
});

/** The words of a template, edited at Meta. A part that is left out is gone. */
const componentsSchema = z.object({
  templateId,
  components: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).min(1),
});

const qualitySchema = z.object({ templateId, quality: z.enum(templateQualities) });

/**
 * `POST /template-reviews`, `POST /template-categories`, `POST /template-components`, `POST /template-qualities`,
 * and `GET /templates`, below `/simulator`. Tells what changes to the webhooks of all numbers.
 */
export function createTemplateReviews(simulator: CloudContext): Hono {
  const { templates } = simulator;
  const app = new Hono();
  app.get("/templates", (context) => {
    const wabaId = context.req.query("wabaId");
    return context.json({
      items: wabaId === undefined ? templates.listAll() : templates.list(wabaId),
    });
  });
  app.post(
    "/template-reviews",
    (context) =>
      withBody(context, reviewSchema, ({ templateId, status, reason = "NONE" }) => {
        const rejected_reason = status === "REJECTED" ? reason : "NONE";
        const template = templates.change(templateId, { status, rejected_reason });
        if (template === undefined) return refuseUnknown(context);
        tell(simulator, template, "message_template_status_update", { event: status, reason });
        return context.json(template);
      }),
  );
  app.post(
    "/template-categories",
    (context) =>
      withBody(context, categorySchema, ({ templateId, category, when }) => {
        const former = templates.get(templateId);
        if (former === undefined) return refuseUnknown(context);
        const news = when === "tomorrow"
          ? { correct_category: category, new_category: former.category }
          : { previous_category: former.category, new_category: category };
        const template = when === "now" ? templates.change(templateId, { category }) : former;
        tell(simulator, former, "template_category_update", news);
        return context.json(template ?? former);
      }),
  );
  app.post(
    "/template-components",
    (context) =>
      withBody(context, componentsSchema, ({ templateId, components }) => {
        const template = templates.change(templateId, { components });
        if (template === undefined) return refuseUnknown(context);
        const news = composeWording(components);
        tell(simulator, template, "message_template_components_update", news);
        return context.json(template);
      }),
  );
  app.post(
    "/template-qualities",
    (context) =>
      withBody(context, qualitySchema, ({ templateId, quality }) => {
        const former = templates.get(templateId);
        const template = templates.change(templateId, { quality_score: { score: quality } });
        if (former === undefined || template === undefined) return refuseUnknown(context);
        tell(simulator, template, "message_template_quality_update", {
          previous_quality_score: former.quality_score?.score ?? "UNKNOWN",
          new_quality_score: quality,
        });
        return context.json(template);
      }),
  );
  return app;
}

/** The words as the notice tells them: a part without words is left out. */
function composeWording(components: readonly TemplateComponent[]): Record<string, unknown> {
  const find = (type: string): TemplateComponent | undefined =>
    components.find((component) => component.type === type);
  const buttons = find("BUTTONS")?.["buttons"];
  const told = {
    message_template_element: find("BODY")?.text,
    message_template_title: find("HEADER")?.text,
    message_template_footer: find("FOOTER")?.text,
    message_template_buttons: Array.isArray(buttons)
      ? buttons.map((button) => ({
        message_template_button_type: button.type,
        message_template_button_text: button.text,
        message_template_button_url: button.url,
        message_template_button_phone_number: button.phone_number,
      }))
      : undefined,
  };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}

/** Meta has one address for an app: every number's webhook hears of the account's templates. */
function tell(
  { templates, webhooks, store }: CloudContext,
  { id, name, language }: SimulatedTemplateRecord,
  field: Parameters<typeof composeAccountNews>[0],
  news: Readonly<Record<string, unknown>>,
): void {
  const value = {
    ...news,
    message_template_id: Number(id),
    message_template_name: name,
    message_template_language: language,
  };
  const at = store.now().toISOString();
  const event = composeAccountNews(field, at, value, templates.accountOf(id));
  for (const { provider, instance } of webhooks.list()) {
    if (provider === "whatsapp_cloud") webhooks.send(provider, instance, event);
  }
  store.announce({ type: "faults_changed" });
}

function refuseUnknown(context: Context): Response {
  return context.json({
    error: "template_not_found",
    message:
      "No account has a template of this id: GET /simulator/graph/{WABA id}/message_templates.",
  }, 404);
}
