/**
 * From a filled template to the Cloud API's (page Template messages). Only what was filled travels:
 * fixed headers, footers and buttons are part of the template at the provider.
 */
import { isNumbered } from "../../model/placeholders.ts";
import type { Issue } from "../../model/errors.ts";
import type { FilledParameter, FilledTemplate } from "../../model/filled_template.ts";
import { checkLength } from "../http/content_length.ts";
import { readFilename } from "../media_type.ts";
import type { TemplateContent } from "../../model/message_content.ts";

type Component = Readonly<Record<string, unknown>>;

/** Page Template messages: a header 60, a body 1,024, or 32,768 where nothing else is sent. */
const HEADER_MAX = 60;
const BODY_MAX = 1_024;
const LONE_BODY_MAX = 32_768;
const SUFFIX_MAX = 2_000;
const PAYLOAD_MAX = 128;

/** Meta's own word for a flow that nobody tells apart (page Flows, `flow_token`). */
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

/** The values that the Cloud API would refuse; paths into the request. */
export function checkWhatsappCloudTemplate(template: FilledTemplate): Issue[] {
  const { header, body, buttons } = template;
  const bodyMax = listComponents(template).length > 1 ? BODY_MAX : LONE_BODY_MAX;
  return [
    ...(header?.format === "TEXT" ? header.parameters : [])
      .flatMap(({ key, value }) => checkText(key, value, HEADER_MAX)),
    ...body.parameters.flatMap(({ key, value }) => checkText(key, value, bodyMax)),
    ...buttons.flatMap(({ suffix, payload, flowToken }, index) => [
      ...checkText(`button_${index + 1}`, suffix, SUFFIX_MAX),
      ...checkLength(`variables.button_${index + 1}_payload`, payload ?? flowToken, PAYLOAD_MAX),
    ]),
  ];
}

function checkText(key: string, value: string | undefined, max: number): Issue[] {
  const path = `variables.${key}`;
  if (value !== undefined && refusedWhiteSpace.test(value)) {
    const message =
      "the official channel takes no line breaks, tabs or more than 4 spaces in a row";
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
  const { id, link } = header.media;
  const filename = type === "document" && link !== undefined ? readFilename(link) : undefined;
  const source = id === undefined ? { link } : { id };
  const file = filename === undefined ? source : { ...source, filename };
  return toComponent("header", [{ type, [type]: file }]);
}

/** Named parameters carry their name; positional ones are told by their order. */
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

/** `index` counts all buttons from zero, as a text. */
function toButtons({ buttons }: FilledTemplate): Component[] {
  return buttons.flatMap(({ type, suffix, payload, flowToken }, position): Component[] => {
    const index = String(position);
    // Page Flows, Sending a Flow: without its component every send is refused.
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
