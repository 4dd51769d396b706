import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
  INodeProperties,
} from "n8n-workflow";
import { describeRefusal, readObject } from "./answer";
import { callService } from "./service_call";

/** Templates that one look of the list shows; scrolling asks for the next ones. */
const pageSize = 50;
/** The longest text that the service searches for. */
const mostSearched = 100;

/** A field that offers the templates of the credentials' instance. */
export function templateField(name: string): INodeProperties {
  return {
    displayName: "Template",
    name,
    type: "resourceLocator",
    default: { mode: "list", value: "" },
    required: true,
    modes: [
      {
        displayName: "From List",
        name: "list",
        type: "list",
        placeholder: "Select a template...",
        typeOptions: { searchListMethod: "searchTemplates", searchable: true },
      },
      {
        displayName: "By ID",
        name: "id",
        type: "string",
        placeholder: "018f2c6e-7d1a-7b7e-9c1d-2f4a5b6c7d8e",
      },
    ],
    description: "What is sent. Its variables are filled below.",
  };
}

/** The templates that can be sent, by name and language, a page at a time. `filter`: part of the name or the words. */
export async function searchTemplates(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const q = [...(filter ?? "").trim()].slice(0, mostSearched).join("");
  const answer = await callService(this, {
    path: "/messages-api/templates",
    query: {
      limit: pageSize,
      ...(q === "" ? {} : { q }),
      ...(paginationToken === undefined ? {} : { cursor: paginationToken }),
    },
  });
  if (answer.statusCode >= 400) {
    throw describeRefusal(this.getNode(), answer.statusCode, answer.body);
  }
  const { items, nextCursor } = readObject(answer.body);
  return {
    results: (items as IDataObject[]).map(describeTemplate),
    ...(typeof nextCursor === "string" ? { paginationToken: nextCursor } : {}),
  };
}

/** A template of a gateway has no status, and can be sent. */
function describeTemplate(template: IDataObject): INodeListSearchItems {
  const { templateId, name, language, status } = template;
  const variables = template.variables as string[];
  const state = status === null || status === "APPROVED" ? "" : ` [${String(status)}]`;
  return {
    name: `${String(name)} (${String(language)})${state}`,
    value: String(templateId),
    description: variables.length === 0 ? "No variables" : `Variables: ${variables.join(", ")}`,
  };
}
