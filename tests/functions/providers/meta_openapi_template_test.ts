/** Validates every template that we fill against Meta's own OpenAPI description. */
import fc from "fast-check";
import { toWhatsappCloudRequest } from "../../../shared/providers/whatsapp_cloud/request.ts";
import {
  checkWhatsappCloudTemplate,
  toWhatsappCloudTemplate,
} from "../../../shared/providers/whatsapp_cloud/template.ts";
import type { TemplateDefinition } from "../../../shared/templates/definition.ts";
import type { FilledTemplate } from "../../../shared/model/filled_template.ts";
import { fillTemplate } from "../../../shared/templates/variables.ts";
import { assert } from "../../support/assert.ts";
import { isMissing, loadJudge, note } from "./meta_openapi_judge.ts";

const config = {
  phoneNumberId: "106540352242922",
  accessToken: "a",
  appSecret: "b",
  verifyToken: "c",
};

function bodyOf(filled: FilledTemplate): unknown {
  const template = toWhatsappCloudTemplate({ name: "aviso", language: "pt_BR" }, filled);
  return toWhatsappCloudRequest({
    messageId: "5c0a2a52-0a1f-4d64-9c1e-2f7c0b1f6c11",
    to: "5511987654321",
    content: { messageType: "template", template },
  }, config).body;
}

const base = "https://files.example.com/a";
const files = {
  IMAGE: [`${base}.png`, { id: "7" }, { id: "7", link: base }],
  VIDEO: [`${base}.mp4`, { link: base }],
  DOCUMENT: [`${base}.pdf`, { link: base }, { id: "7", link: `${base}.pdf` }],
} as const;

const header = fc.oneof(
  fc.constant({ header: null, value: undefined }),
  fc.constantFrom("Oi", "Oi {{1}}", "Oi {{cliente}}").map((text) => ({
    header: { format: "TEXT" as const, text },
    value: "Bia" as unknown,
  })),
  ...(["IMAGE", "VIDEO", "DOCUMENT"] as const).map((format) =>
    fc.constantFrom<unknown>(...files[format]).map((value) => ({ header: { format }, value }))
  ),
);
const button = fc.constantFrom(
  { type: "QUICK_REPLY", text: "Sim" },
  { type: "PHONE_NUMBER", text: "Ligar", phoneNumber: "+551140001234" },
  { type: "URL", text: "Ver", url: "https://a.example/" },
  { type: "URL", text: "Ver", url: "https://a.example/{{1}}" },
);
const value = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 })
  .filter((text) => text.trim() !== "");

Deno.test({
  name: `Meta's description accepts every template that can be filled${note}`,
  ignore: isMissing,
  fn(): void {
    const judge = loadJudge();
    fc.assert(
      fc.property(
        header,
        fc.constantFrom<TemplateDefinition["parameterFormat"]>("POSITIONAL", "NAMED"),
        fc.constantFrom("Olá", "{{1}} {{2}}", "{{nome}}, {{pedido}}"),
        fc.array(button, { maxLength: 10 }),
        value,
        ({ header, value: file }, parameterFormat, body, buttons, text) => {
          const definition = { parameterFormat, header, body, footer: "Loja", buttons };
          const keys = ["1", "2", "nome", "pedido"];
          const payloads = buttons.flatMap((_, index) => [
            [`button_${index + 1}`, text],
            ...(index % 2 === 0 ? [[`button_${index + 1}_payload`, text]] : []),
          ]);
          const variables = Object.fromEntries([...keys.map((key) => [key, text]), ...payloads]);
          const contact = { name: null, phone: "5511987654321" };
          const { template, missing, issues } = fillTemplate(
            definition,
            { ...variables, header: file },
            contact,
          );
          assert(missing.length === 0 && issues.length === 0, JSON.stringify([missing, issues]));
          fc.pre(checkWhatsappCloudTemplate(template).length === 0);
          const request = bodyOf(template);
          assert(judge(request), JSON.stringify([request, judge.errors]));
        },
      ),
      { numRuns: 300, endOnFailure: true },
    );
  },
});
