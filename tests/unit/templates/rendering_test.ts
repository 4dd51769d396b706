import type { TemplateDefinition } from "../../../shared/templates/definition.ts";
import { renderForGateway, renderTemplateText } from "../../../shared/templates/rendering.ts";
import type { FilledTemplate } from "../../../shared/model/filled_template.ts";
import { fillTemplate } from "../../../shared/templates/variables.ts";
import { assertEquals } from "../../support/assert.ts";

function fill(
  changes: Partial<TemplateDefinition>,
  variables: Readonly<Record<string, unknown>> = {},
): FilledTemplate {
  const definition = {
    parameterFormat: "POSITIONAL",
    header: null,
    body: "Pedido {{1}}",
    footer: null,
    buttons: [],
    ...changes,
  } as const;
  return fillTemplate(definition, { "1": "42", ...variables }, { name: null, phone: "5511" })
    .template;
}

const buttons = [
  { type: "QUICK_REPLY", text: "Sim" },
  { type: "URL", text: "Ver", url: "https://a.example/{{1}}" },
  { type: "PHONE_NUMBER", text: "Ligar", phoneNumber: "+551140001234" },
];

Deno.test("a template reads as header, body, footer and numbered buttons", () => {
  const template = fill({
    header: { format: "TEXT", text: "Loja {{1}}" },
    footer: "Responda SAIR",
    buttons,
  }, { header: "Centro", button_2: "p/42" });
  assertEquals(
    renderTemplateText(template),
    "Loja Centro\n\nPedido 42\n\nResponda SAIR\n\n" +
      "1. Sim\n2. Ver: https://a.example/p/42\n3. Ligar: +551140001234",
  );
  assertEquals(renderForGateway(template), {
    messageType: "text",
    message: renderTemplateText(template),
  });
});

Deno.test("parts that a template lacks leave no blank lines", () => {
  assertEquals(renderTemplateText(fill({})), "Pedido 42");
  assertEquals(renderTemplateText(fill({ footer: "Loja" })), "Pedido 42\n\nLoja");
});

Deno.test("on a gateway a media header is the file with the text as caption", () => {
  const base = "https://files.example.com/a";
  const render = (
    format: "IMAGE" | "VIDEO" | "DOCUMENT",
    header: unknown,
  ): ReturnType<typeof renderForGateway> =>
    renderForGateway(fill({ header: { format } }, { header }));
  const message = "Pedido 42";
  assertEquals(render("IMAGE", `${base}.png`), {
    messageType: "image",
    mediaUrl: `${base}.png`,
    message,
  });
  const asDocument = (mediaUrl: string, mediaFilename?: string): typeof expected => ({
    ...expected,
    mediaUrl,
    mediaFilename,
  });
  const expected = {
    messageType: "document" as const,
    mediaUrl: base,
    mediaFilename: undefined as string | undefined,
    message,
  };
  assertEquals(render("VIDEO", `${base}.mp4`), asDocument(`${base}.mp4`));
  assertEquals(render("VIDEO", base), asDocument(base, "video.mp4"));
  assertEquals(render("DOCUMENT", { id: "7", link: `${base}.pdf` }), asDocument(`${base}.pdf`));
  assertEquals(render("DOCUMENT", base), asDocument(base, "document.pdf"));
  assertEquals(render("IMAGE", { id: "7" }), null);
});
