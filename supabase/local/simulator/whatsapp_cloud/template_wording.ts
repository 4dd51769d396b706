/** What the customer sees of a template: its approved wording, filled with the values of the send. */
import type { SimulatedContent, SimulatedTemplate, SimulatedTemplateButton } from "../records.ts";
import { paymentTypes } from "./template_check.ts";
import type { TemplateLibrary } from "./template_library.ts";
import type { TemplateComponent } from "./template_record.ts";

interface SentParameter {
  readonly type: string;
  readonly parameter_name?: string;
  readonly [value: string]: unknown;
}

interface SentComponent {
  readonly type: string;
  readonly sub_type?: string;
  readonly index?: string | number;
  readonly parameters?: readonly SentParameter[];
}

/** The content as the phone shows it. A content that is no template, or an unknown one, stays as it is. */
export function fillTemplateWording(
  library: TemplateLibrary,
  content: SimulatedContent,
): SimulatedContent {
  const { template } = content;
  if (template === null) return content;
  const known = library.find(template.name, template.language)
    .find(({ status }) => status === "APPROVED");
  if (known === undefined) return content;
  const part = (type: string): TemplateComponent | undefined =>
    known.components.find((component) => component.type === type);
  const wording = (type: string): string | null => {
    const text = part(type)?.text;
    return text === undefined ? null : fillText(text, readParameters(template, type.toLowerCase()));
  };
  return {
    ...content,
    text: wording("BODY"),
    template: {
      ...template,
      category: known.category,
      header: wording("HEADER"),
      footer: wording("FOOTER"),
      buttons: listButtons(part("BUTTONS"), template),
    },
  };
}

/** Meta numbers the values of a part, or names them. */
function fillText(text: string, parameters: readonly SentParameter[]): string {
  return text.replaceAll(/\{\{\s*(\w{1,100})\s*\}\}/g, (variable, name: string) => {
    const parameter = parameters.find((one) => one.parameter_name === name) ??
      parameters[Number(name) - 1];
    return readText(parameter) ?? variable;
  });
}

function readText(parameter: SentParameter | undefined): string | undefined {
  const value = parameter?.[parameter.type];
  if (typeof value === "string") return value;
  const fallback = (value as { readonly fallback_value?: unknown } | undefined)?.fallback_value;
  return typeof fallback === "string" ? fallback : undefined;
}

function readParameters(template: SimulatedTemplate, type: string): readonly SentParameter[] {
  const components = template.components as readonly SentComponent[];
  return components.find((component) => component.type === type)?.parameters ?? [];
}

function listButtons(
  component: TemplateComponent | undefined,
  template: SimulatedTemplate,
): SimulatedTemplateButton[] {
  const buttons = (component?.["buttons"] ?? []) as readonly Readonly<Record<string, unknown>>[];
  const sent = (template.components as readonly SentComponent[])
    .filter(({ type }) => type === "button");
  return buttons.flatMap((button, index) => {
    // What a person is to pay is shown with its own buttons.
    if (paymentTypes.includes(String(button["type"]))) return [];
    const parameters = sent.find((one) => Number(one.index) === index)?.parameters ?? [];
    const title = String(button["text"] ?? button["type"]);
    const url = button["url"];
    return [{
      title,
      // Meta answers a quick reply without a payload by its text.
      id: button["type"] === "QUICK_REPLY" ? readText(parameters[0]) ?? title : null,
      url: typeof url === "string" ? fillText(url, parameters) : null,
    }];
  });
}
