import { readTemplateDefinition } from "../../../shared/templates/definition.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const body = { type: "BODY", text: "Olá {{1}}" };

Deno.test("a template is read from components in the official channel's shape", () => {
  const read = readTemplateDefinition("NAMED", [
    { type: "HEADER", format: "IMAGE", example: { header_handle: ["https://a.example"] } },
    body,
    { type: "FOOTER", text: "Loja" },
    {
      type: "BUTTONS",
      buttons: [
        { type: "QUICK_REPLY", text: "Sim" },
        { type: "PHONE_NUMBER", text: "Ligar", phone_number: "+5511999990000" },
        { type: "URL", text: "Ver", url: "https://a.example/{{1}}", example: ["x"] },
      ],
    },
  ]);
  assertEquals(read, {
    ok: true,
    definition: {
      parameterFormat: "NAMED",
      header: { format: "IMAGE" },
      body: "Olá {{1}}",
      footer: "Loja",
      buttons: [
        { type: "QUICK_REPLY", text: "Sim", url: undefined, phoneNumber: undefined },
        { type: "PHONE_NUMBER", text: "Ligar", url: undefined, phoneNumber: "+5511999990000" },
        { type: "URL", text: "Ver", url: "https://a.example/{{1}}", phoneNumber: undefined },
      ],
    },
  });
});

Deno.test("a body alone is a template, and types are read in any case", () => {
  const read = readTemplateDefinition("POSITIONAL", [
    { type: "body", text: "Olá" },
    { type: "header", format: "text", text: "Oi" },
  ]);
  assert(read.ok);
  const { header, footer, buttons } = read.definition;
  assertEquals({ header, footer, buttons }, {
    header: { format: "TEXT", text: "Oi" },
    footer: null,
    buttons: [],
  });
});

Deno.test("a template with a part that no variable fills is refused, and the part is named", () => {
  const cases = [
    [{ type: "CAROUSEL", cards: [] }, "CAROUSEL"],
    [{ type: "LIMITED_TIME_OFFER" }, "LIMITED_TIME_OFFER"],
    [{ type: "HEADER", format: "LOCATION" }, "LOCATION header"],
    [{ type: "BUTTONS", buttons: [{ type: "COPY_CODE", text: "Copiar" }] }, "COPY_CODE button"],
  ] as const;
  for (const [component, part] of cases) {
    const read = readTemplateDefinition("POSITIONAL", [body, component]);
    assert(!read.ok && read.reason.endsWith(part), JSON.stringify(read));
  }
  assertEquals(readTemplateDefinition("POSITIONAL", [{ text: "no type" }]).ok, false);
});
