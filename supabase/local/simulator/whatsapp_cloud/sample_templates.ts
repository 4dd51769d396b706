import type { SimulatedTemplateRecord } from "./template_record.ts";

/**
 * The initial templates of every simulated account: one of each kind that this service fills, and
 * one that is not approved.
 */
export const sampleTemplates: readonly SimulatedTemplateRecord[] = [
  {
    name: "pedido_enviado",
    parameter_format: "NAMED",
    language: "pt_BR",
    status: "APPROVED",
    category: "UTILITY",
    components: [
      { type: "HEADER", format: "TEXT", text: "Seu pedido saiu" },
      {
        type: "BODY",
        text: "Olá, {{nome}}! O pedido {{pedido}} está a caminho.",
        example: {
          body_text_named_params: [
            { param_name: "nome", example: "João" },
            { param_name: "pedido", example: "4711" },
          ],
        },
      },
      { type: "FOOTER", text: "Responda SAIR para não receber avisos" },
      {
        type: "BUTTONS",
        buttons: [
          {
            type: "URL",
            text: "Acompanhar",
            url: "https://example.com/r/{{1}}",
            example: ["4711"],
          },
          { type: "QUICK_REPLY", text: "Falar com alguém" },
        ],
      },
    ],
    id: "1387372356726668",
  },
  {
    name: "lembrete_consulta",
    parameter_format: "POSITIONAL",
    language: "pt_BR",
    status: "APPROVED",
    category: "UTILITY",
    components: [
      {
        type: "BODY",
        text: "Sua consulta é em {{1}}, às {{2}}.",
        example: { body_text: [["25/11", "14h"]] },
      },
    ],
    id: "1304694804498707",
  },
  {
    name: "catalogo",
    parameter_format: "POSITIONAL",
    language: "pt_BR",
    status: "APPROVED",
    category: "MARKETING",
    components: [
      {
        type: "HEADER",
        format: "IMAGE",
        example: { header_handle: ["https://example.com/sample.png"] },
      },
      { type: "BODY", text: "O catálogo novo chegou." },
    ],
    id: "1625063511800527",
  },
  {
    name: "promocao",
    parameter_format: "POSITIONAL",
    language: "pt_BR",
    status: "PENDING",
    category: "MARKETING",
    components: [{ type: "BODY", text: "Só hoje: {{1}}.", example: { body_text: [["20%"]] } }],
    id: "1137051647947973",
  },
];
