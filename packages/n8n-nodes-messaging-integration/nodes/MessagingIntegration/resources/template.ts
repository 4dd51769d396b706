import type { INodeProperties } from "n8n-workflow";
import { additionalFields, personFields } from "../shared/fields";
import { sendingFields } from "../shared/sending";
import { templateField } from "../shared/templates";

/** Sending stored templates. */
export const templateDescription: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["template"] } },
    options: [
      {
        name: "Send",
        value: "send",
        action: "Send a template",
        description: "Send, queue or schedule a stored template",
        routing: { request: { method: "POST", url: "/send-template-message" } },
      },
    ],
    default: "send",
  },
  {
    ...templateField("templateId"),
    displayOptions: { show: { resource: ["template"], operation: ["send"] } },
    routing: { send: { type: "body", property: "templateId" } },
  },
  ...personFields("template", ["send"]),
  {
    displayName: "Variables",
    name: "variables",
    type: "fixedCollection",
    typeOptions: { multipleValues: true },
    placeholder: "Add Variable",
    default: {},
    displayOptions: { show: { resource: ["template"], operation: ["send"] } },
    description:
      "Values of the template's variables; those of the contact are filled in by themselves",
    routing: {
      send: {
        type: "body",
        property: "variables",
        value:
          "={{ ($value.variable ?? []).reduce((all, { name, value }) => ({ ...all, [name]: value }), {}) }}",
      },
    },
    options: [
      {
        displayName: "Variable",
        name: "variable",
        values: [
          { displayName: "Name", name: "name", type: "string", default: "" },
          { displayName: "Value", name: "value", type: "string", default: "" },
        ],
      },
    ],
  },
  additionalFields("template", ["send"], sendingFields),
];
