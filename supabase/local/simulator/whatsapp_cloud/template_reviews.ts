import { Hono } from "hono";
import * as z from "zod";
import { withBody } from "../json_request.ts";
import type { TemplateLibrary } from "./template_library.ts";
import { templateStatuses } from "./template_record.ts";

/** The decisions of Meta's reviewers on a template. */
const templateReviewSchema = z.object({
  templateId: z.string().min(1),
  status: z.enum(templateStatuses),
});

/**
 * `POST /template-reviews`, below `/simulator`: sets a template's status as Meta's reviewers would.
 */
export function createTemplateReviews(templates: TemplateLibrary): Hono {
  const app = new Hono();
  app.post(
    "/template-reviews",
    (context) =>
      withBody(context, templateReviewSchema, ({ templateId, status }) => {
        const template = templates.review(templateId, status);
        if (template !== undefined) return Response.json(template);
        return Response.json({
          error: "template_not_found",
          message:
            "No account has a template of this id: GET /simulator/graph/{WABA id}/message_templates.",
        }, { status: 404 });
      }),
  );
  return app;
}
