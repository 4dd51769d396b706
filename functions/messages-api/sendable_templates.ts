import type { StoredTemplate } from "../../shared/database/rpcs/templates.ts";
import { readTemplateDefinition } from "../../shared/templates/definition.ts";
import { listVariables } from "../../shared/templates/variables.ts";
import type { SendableTemplate } from "./templates_contract.ts";

/**
 * A stored template as a caller chooses and fills it. None for one with a part that sending cannot fill: every
 * call with it would be refused.
 */
export function describeSendable(template: StoredTemplate): readonly SendableTemplate[] {
  const { templateId, name, language, category, parameterFormat, components } = template;
  const read = readTemplateDefinition(parameterFormat, components);
  if (!read.ok) return [];
  const { header, buttons } = read.definition;
  return [{
    ...{ templateId, name, language, category, status: template.providerStatus, parameterFormat },
    variables: [...listVariables(read.definition)],
    header: header &&
      { format: header.format, text: header.format === "TEXT" ? header.text : null },
    buttons: buttons.map(({ type, text, url, phoneNumber }) => ({
      ...{ type, text },
      ...{ url: url ?? null, phoneNumber: phoneNumber ?? null },
    })),
  }];
}
