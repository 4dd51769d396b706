/** `GET /{version}/{WABA id}/message_templates` as Meta answers it: the same few for every account. */

const samples = [
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
] as const;

/** A page of `limit` templates behind the cursor `after`, with `paging.next` while there are more. */
export function listTemplates(url: URL): Response {
  const limit = readPositive(url.searchParams.get("limit")) ?? 25;
  const start = readCursor(url.searchParams.get("after"));
  const page = samples.slice(start, start + limit);
  const end = start + page.length;
  const next = new URL(url);
  next.searchParams.set("after", writeCursor(end));
  return Response.json({
    data: page,
    paging: {
      cursors: { before: writeCursor(start), after: writeCursor(end) },
      ...(end < samples.length ? { next: next.href } : {}),
    },
  });
}

function readPositive(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined;
}

function writeCursor(position: number): string {
  return btoa(`template ${position}`);
}

function readCursor(cursor: string | null): number {
  const position = samples.findIndex((_, index) => writeCursor(index) === cursor);
  return position === -1 ? 0 : position;
}
