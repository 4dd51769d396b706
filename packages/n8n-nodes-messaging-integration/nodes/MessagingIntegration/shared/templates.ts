import type {
  IDataObject,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  INodeProperties,
  INodePropertyOptions,
} from "n8n-workflow";
import { describeRefusal, readObject } from "./answer";

const credentialName = "messagingIntegrationApi";

/** A field that offers the templates of the credentials' instance. */
export function templateField(name: string): INodeProperties {
  return {
    displayName: "Template Name or ID",
    name,
    type: "options",
    typeOptions: { loadOptionsMethod: "getTemplates" },
    default: "",
    required: true,
    description:
      'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
  };
}

/** The templates that can be sent, by name and language, with what a send fills. */
export async function getTemplates(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { baseUrl, instanceId } = await this.getCredentials(credentialName);
  const options: INodePropertyOptions[] = [];
  let cursor: unknown = null;
  do {
    const answer = await this.helpers.httpRequestWithAuthentication.call(this, credentialName, {
      url: `${String(baseUrl).replace(/(?<!\/)\/+$/, "")}/functions/v1/messages-api/templates`,
      qs: { instanceId, limit: 1000, ...(typeof cursor === "string" ? { cursor } : {}) },
      json: true,
      ignoreHttpStatusErrors: true,
      returnFullResponse: true,
    }) as IN8nHttpFullResponse;
    if (answer.statusCode >= 400) {
      throw describeRefusal(this.getNode(), answer.statusCode, answer.body);
    }
    const page = readObject(answer.body);
    options.push(...(page.items as IDataObject[]).map(describeTemplate));
    cursor = page.nextCursor;
  } while (typeof cursor === "string");
  return options.sort((one, other) => one.name.localeCompare(other.name));
}

/** A template of a gateway has no status, and can be sent. */
function describeTemplate(template: IDataObject): INodePropertyOptions {
  const { templateId, name, language, status } = template;
  const variables = template.variables as string[];
  const state = status === null || status === "APPROVED" ? "" : ` [${String(status)}]`;
  return {
    name: `${String(name)} (${String(language)})${state}`,
    value: String(templateId),
    description: variables.length === 0 ? "No variables" : `Variables: ${variables.join(", ")}`,
  };
}
