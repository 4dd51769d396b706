/** A template whose header is a file of ours (decisions, section 8). */

import { assertEquals, assertMatch } from "../../support/assert.ts";
import { acceptMessage, type DoubleRequest } from "../../support/doubles/http_double.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { type FilePart, picture, uploadFile } from "../media_api/media_calls.ts";
import { phone, startTemplateStack, type TemplateStack } from "./template_stack.ts";

const pdf: FilePart = { bytes: padded(heads.pdf, 3_000), name: "Proposta.pdf" };
const body = { type: "BODY", text: "Olá" };

function answerAsGraph(request: DoubleRequest): Response {
  return request.path.endsWith("/media") ? Response.json({ id: "4711" }) : acceptMessage(request);
}

interface Prepared {
  readonly tenant: Tenant;
  /** Templates by their header's format. */
  readonly image: string;
  readonly document: string;
  /** Uploaded files. */
  readonly pictureId: string;
  readonly pdfId: string;
}

async function prepare(
  templates: TemplateStack,
  provider: "zapi" | "evolution" | "whatsapp_cloud",
): Promise<Prepared> {
  const tenant = await templates.stack.createTenant({ provider });
  if (provider === "whatsapp_cloud") templates.stack.provider.answer = answerAsGraph;
  const create = (format: string) =>
    templates.createTemplate(tenant, { components: [{ type: "HEADER", format }, body] });
  return {
    tenant,
    image: await create("IMAGE"),
    document: await create("DOCUMENT"),
    pictureId: (await uploadFile(templates.stack, tenant, picture)).body.mediaId,
    pdfId: (await uploadFile(templates.stack, tenant, pdf)).body.mediaId,
  };
}

Deno.test("the official channel gets the file, and its own id of it in the header; at once and later", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const { tenant, image, document, pictureId, pdfId } = await prepare(templates, "whatsapp_cloud");
  const cases = [
    [{ templateId: image, mediaId: pictureId }, { type: "image", image: { id: "4711" } }],
    [
      { templateId: document, mediaId: pdfId },
      { type: "document", document: { id: "4711", filename: "Proposta.pdf" } },
    ],
  ] as const;
  for (const [{ templateId, mediaId }, parameter] of cases) {
    for (const way of [{}, { delayMessage: 60 }]) {
      const variables = { header: { mediaId } };
      const answer = await templates.post(tenant, { templateId, phone, variables, ...way });
      assertEquals([answer.status, answer.body.ignoredFields], [200, undefined]);
      await letTimePass(stack.admin, 61);
      await stack.dispatch();
      const sent = stack.provider.requests.at(-1)?.json["template"] as { components: unknown };
      assertEquals(sent.components, [{ type: "header", parameters: [parameter] }]);
    }
  }
  assertEquals(stack.provider.requests.filter(({ path }) => path.endsWith("/media")).length, 2);
  const stored = await stack.admin`select content::text, media_id from messaging.messages`;
  assertEquals(stored.every(({ content }) => !content.includes("http")), true, "no link is stored");
  assertEquals(new Set(stored.map(({ media_id }) => media_id)), new Set([pictureId, pdfId]));
});

for (const provider of ["zapi", "evolution"] as const) {
  Deno.test(`${provider} gets a link to the file, with the template's text`, async () => {
    await using templates = await startTemplateStack();
    const { stack } = templates;
    const { tenant, image, pictureId } = await prepare(templates, provider);
    for (const way of [{}, { delayMessage: 60 }]) {
      const variables = { header: { mediaId: pictureId } };
      const { status } = await templates.post(tenant, {
        templateId: image,
        phone,
        variables,
        ...way,
      });
      assertEquals(status, 200);
      await letTimePass(stack.admin, 61);
      await stack.dispatch();
      const json = stack.provider.requests.at(-1)?.json ?? {};
      const link = String(json["image"] ?? json["media"]);
      assertMatch(new URL(link).pathname, /\/media-api\/links\/[0-9a-f-]{36}\/file\.jpg$/);
      assertEquals(json["caption"], "Olá");
    }
    assertEquals(stack.provider.requests.length, 2);
  });
}

Deno.test("a file that is no header of this format, or of nobody here, is refused by its name, and nothing is sent", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const { tenant, image, document, pictureId, pdfId } = await prepare(templates, "whatsapp_cloud");
  const link = "https://files.example.com/a.png";
  const cases = [
    [image, { mediaId: pdfId }, 400, "variables.header.mediaId"],
    [document, { mediaId: pictureId }, 400, "variables.header.mediaId"],
    [image, { mediaId: "4711" }, 400, "variables.header.mediaId"],
    [image, { mediaId: pictureId, link }, 400, "variables.header.mediaId"],
    [image, { id: pictureId }, 400, "variables.header.id"],
    [image, { mediaId: crypto.randomUUID() }, 404, undefined],
  ] as const;
  for (const [templateId, header, expected, path] of cases) {
    const variables = { header };
    const { status, body: told } = await templates.post(tenant, { templateId, phone, variables });
    assertEquals(
      [status, told.issues?.[0]?.path],
      [expected, path],
      JSON.stringify([header, told]),
    );
  }
  assertEquals(stack.provider.requests.length, 0);
});
