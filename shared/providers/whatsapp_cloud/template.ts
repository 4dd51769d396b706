/**
 * Converts a filled template into the Cloud API's form (page Template messages). Sends the filled
 * values only: the provider's template holds the fixed headers, footers and buttons.
 */
import { isNumbered } from "../../model/placeholders.ts";
import type { Issue } from "../../model/errors.ts";
import type { FilledParameter, FilledTemplate } from "../../model/filled_template.ts";
import { checkItemNames, checkLength, officialLimits } from "../content_limits.ts";
import { readFilename } from "../media_type.ts";
import type { TemplateContent } from "../../model/message_content.ts";
import { toOrderParameters, toPaymentSetting } from "./payment.ts";

type Component = Readonly<Record<string, unknown>>;

/** Page Template messages: header 60, body 1,024, or 32,768 if the template has only a body. */
const HEADER_MAX = 60;
const BODY_MAX = 1_024;
const LONE_BODY_MAX = 32_768;
const SUFFIX_MAX = 2_000;
const PAYLOAD_MAX = 128;

/** Meta's default for a flow without a token of its own (page Flows, `flow_token`). */
const DEFAULT_FLOW_TOKEN = "unused";

/** Meta, error 132018: "cannot have new-line/tab characters or more than 4 consecutive spaces". */
const refusedWhiteSpace = /[\n\r\t]| {5}/;

/** The template under its name and language, with its parameters. */
export function toWhatsappCloudTemplate(
  { name, language }: { readonly name: string; readonly language: string },
  template: FilledTemplate,
): TemplateContent {
  return { name, language, components: listComponents(template) };
}

/** The values that the Cloud API would refuse, as paths into the request. */
export function checkWhatsappCloudTemplate(template: FilledTemplate): Issue[] {
  const { header, body, buttons, payment } = template;
  const bodyMax = listComponents(template).length > 1 ? BODY_MAX : LONE_BODY_MAX;
  return [
    ...(header?.format === "TEXT" ? header.parameters : [])
      .flatMap(({ key, value }) => checkText(key, value, HEADER_MAX)),
    ...body.parameters.flatMap(({ key, value }) => checkText(key, value, bodyMax)),
    ...buttons.flatMap(({ suffix, payload, flowToken }, index) => [
      ...checkText(`button_${index + 1}`, suffix, SUFFIX_MAX),
      ...checkLength(`variables.button_${index + 1}_payload`, payload ?? flowToken, PAYLOAD_MAX),
    ]),
    ...(payment === undefined ? [] : checkItemNames(payment, officialLimits.itemName))
      .map(({ path, message }) => ({ path: `variables.${path}`, message })),
  ];
}

function checkText(key: string, value: string | undefined, max: number): Issue[] {
  const path = `variables.${key}`;
  if (value !== undefined && refusedWhiteSpace.test(value)) {
    const message =
      "must not contain line breaks, tabs or more than 4 consecutive spaces on the official channel";
    return [{ path, message }];
  }
  return checkLength(path, value, max);
}

function listComponents(template: FilledTemplate): Component[] {
  return [
    ...toHeader(template),
    ...toComponent("body", toTextParameters(template.body.parameters, template)),
    ...toButtons(template),
  ];
}

function toComponent(type: string, parameters: readonly Component[]): Component[] {
  return parameters.length === 0 ? [] : [{ type, parameters }];
}

function toHeader(template: FilledTemplate): Component[] {
  const { header } = template;
  if (header === null) return [];
  if (header.format === "TEXT") {
    return toComponent("header", toTextParameters(header.parameters, template));
  }
  const type = header.format.toLowerCase();
  const { id, link, mediaId } = header.media;
  const filename = type === "document" && link !== undefined
    ? readFilename(link, mediaId === undefined ? undefined : header.media.fileName)
    : undefined;
  // A file of ours gets the channel's id when it is handed over.
  const source = mediaId !== undefined ? {} : id === undefined ? { link } : { id };
  const file = filename === undefined ? source : { ...source, filename };
  return toComponent("header", [{ type, [type]: file }]);
}

/** Named parameters carry their name; positional ones are identified by their order. */
function toTextParameters(
  parameters: readonly FilledParameter[],
  { parameterFormat }: FilledTemplate,
): Component[] {
  if (parameterFormat === "NAMED") {
    return parameters.map(({ placeholder, value }) => ({
      type: "text",
      ...(isNumbered(placeholder) ? {} : { parameter_name: placeholder }),
      text: value,
    }));
  }
  return parameters
    .toSorted((a, b) => Number(a.placeholder) - Number(b.placeholder))
    .map(({ value }) => ({ type: "text", text: value }));
}

/** `index` counts all buttons from zero and is a string; a number for an order, in Meta's examples. */
function toButtons({ buttons, payment }: FilledTemplate): Component[] {
  return buttons.flatMap(({ type, suffix, payload, flowToken, means }, position): Component[] => {
    const index = String(position);
    if (type === "ORDER_DETAILS" && payment !== undefined) {
      const action = { order_details: toOrderParameters(payment) };
      return [{
        ...{ type: "button", sub_type: "order_details", index: position },
        parameters: [{ type: "action", action }],
      }];
    }
    if (means !== undefined && payment !== undefined) {
      const action = { payment_request: { payment_setting: toPaymentSetting(payment, means) } };
      return [{
        ...{ type: "button", sub_type: "payment_request", index },
        parameters: [{ type: "action", action }],
      }];
    }
    // Meta refuses a flow template without this component (page Flows, Sending a Flow).
    if (type === "FLOW") {
      const action = { flow_token: flowToken ?? DEFAULT_FLOW_TOKEN };
      return [{
        type: "button",
        sub_type: "flow",
        index,
        parameters: [{ type: "action", action }],
      }];
    }
    if (suffix !== undefined) {
      const parameters = [{ type: "text", text: suffix }];
      return [{ type: "button", sub_type: "url", index, parameters }];
    }
    if (payload === undefined) return [];
    const parameters = [{ type: "payload", payload }];
    return [{ type: "button", sub_type: "quick_reply", index, parameters }];
  });
}
