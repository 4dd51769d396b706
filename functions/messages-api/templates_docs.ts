import { demoInstanceRef, demoTemplateId } from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import { listTemplatesSchema, templatesResponseSchema } from "./templates_contract.ts";

/** Lists what send-template-message, batches and ladders can send. */
export const listTemplatesOperation: Operation = {
  method: "GET",
  path: "/templates",
  operationId: "listSendableTemplates",
  tag: "Messages",
  summary: "List the templates that can be sent",
  description:
    "Pages of the templates of the token's instance, and of its workspace's that are no other instance's, in the order of their creation: with what a call fills. On the official channel only those with the status `APPROVED` go out. Those with a part that sending cannot fill (a carousel, a location header, a coupon code) are left out, so a page may have fewer than `limit`. A token needs the scope `send`.",
  access: "clientToken",
  query: listTemplatesSchema,
  success: { description: "A page of templates.", schema: templatesResponseSchema },
  errors: [],
  fields: {
    q: "Part of the name or of the body, without regard to case.",
    language: "The template's language, as it is stored: `pt_BR`.",
    status: "The channel's status: `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, and so on.",
    "items.templateId": "Id for `templateId`.",
    "items.name": "With `language` it can stand for `templateId`.",
    "items.language": "Language.",
    "items.category": "`MARKETING`, `UTILITY` or `AUTHENTICATION`; null where nobody has told it.",
    "items.status":
      "What the official channel says of it; null where it does not have it, as of all templates of gateways.",
    "items.parameterFormat": "Whether the body's variables are numbers or names.",
    "items.variables":
      "Keys of `variables` that a send fills, in the template's order. `nome` and `telefone` are taken from the contact where the call does not give them.",
    "items.header": "The header; null for none.",
    "items.header.format":
      "`TEXT`; or `IMAGE`, `VIDEO` or `DOCUMENT`, whose file is the variable `header`.",
    "items.header.text": "The text, with its variable; null for a file.",
    "items.buttons": "The buttons, in their order: the first is `button_1`.",
    "items.buttons.type": "`QUICK_REPLY`, `URL`, `PHONE_NUMBER`, or another of the channel.",
    "items.buttons.text": "Title of the button.",
    "items.buttons.url": "Address that a `URL` button opens, with its variable.",
    "items.buttons.phoneNumber": "Number that a `PHONE_NUMBER` button calls.",
  },
  examples: [{
    name: "search",
    summary: "The templates about an order",
    request: { instanceId: demoInstanceRef, q: "pedido_enviado", language: "pt_BR" },
    response: {
      success: true,
      items: [{
        templateId: demoTemplateId,
        name: "pedido_enviado",
        language: "pt_BR",
        category: null,
        status: null,
        parameterFormat: "NAMED",
        variables: ["nome", "pedido"],
        header: { format: "TEXT", text: "Seu pedido" },
        buttons: [],
      }],
      nextCursor: null,
    },
  }],
};
