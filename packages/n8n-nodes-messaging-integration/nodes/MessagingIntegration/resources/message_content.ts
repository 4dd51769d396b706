import type { INodeProperties } from "n8n-workflow";
import { uploadFileOfMessage } from "../shared/files";

const show = { resource: ["message"], operation: ["send"] };
const files = ["image", "video", "audio", "document", "sticker", "voice"];
/** Types that have their own fields here. Others take their member as JSON. */
const withFields = ["text", "option_list", "contact_request", "location_request", ...files];

/** What a message holds, by its type. */
export const contentFields: INodeProperties[] = [
  {
    displayName: "Message",
    name: "message",
    type: "string",
    typeOptions: { rows: 3 },
    default: "",
    displayOptions: {
      show,
      hide: { messageType: ["audio", "sticker", "voice", "reaction", "location", "contacts"] },
    },
    routing: {
      send: {
        type: "body",
        property: "message",
        value: '={{ $value === "" ? undefined : $value }}',
      },
    },
    description: "The text; for media the caption, for an option list the body",
  },
  {
    displayName: "File From",
    name: "fileFrom",
    type: "options",
    noDataExpression: true,
    options: [
      {
        name: "Binary Field",
        value: "binary",
        description: "A file of the item: it is uploaded, then sent",
        routing: { send: { preSend: [uploadFileOfMessage] } },
      },
      { name: "Stored File", value: "mediaId", description: "A file that was uploaded before" },
      { name: "URL", value: "mediaUrl" },
    ],
    default: "mediaUrl",
    displayOptions: { show: { ...show, messageType: files } },
  },
  {
    displayName: "File URL",
    name: "mediaUrl",
    type: "string",
    default: "",
    required: true,
    displayOptions: { show: { ...show, messageType: files, fileFrom: ["mediaUrl"] } },
    routing: { send: { type: "body", property: "mediaUrl" } },
    description: "Public https URL of the file",
  },
  {
    displayName: "Media ID",
    name: "mediaId",
    type: "string",
    default: "",
    required: true,
    displayOptions: { show: { ...show, messageType: files, fileFrom: ["mediaId"] } },
    routing: { send: { type: "body", property: "mediaId" } },
  },
  {
    displayName: "Input Binary Field",
    name: "binaryPropertyName",
    type: "string",
    default: "data",
    required: true,
    hint: "The name of the input field that holds the file",
    displayOptions: { show: { ...show, messageType: files, fileFrom: ["binary"] } },
  },
  {
    displayName: "File Name",
    name: "mediaFilename",
    type: "string",
    default: "",
    displayOptions: { show: { ...show, messageType: ["document"] } },
    routing: {
      send: {
        type: "body",
        property: "mediaFilename",
        value: '={{ $value === "" ? undefined : $value }}',
      },
    },
    description: "File name of the document, as the contact sees it",
  },
  ...optionListFields(),
  {
    displayName: "Content (JSON)",
    name: "content",
    type: "json",
    default: "{}",
    displayOptions: { show, hide: { messageType: withFields } },
    routing: {
      send: {
        type: "body",
        // The member has the type's own name, in camel case: "link_button" is "linkButton".
        property:
          "={{ $parameter.messageType.replace(/_(\\w)/g, (_, letter) => letter.toUpperCase()) }}",
        value: '={{ typeof $value === "string" ? JSON.parse($value) : $value }}',
      },
    },
    description: "What the API's reference calls by the type's own name, such as location",
  },
];

function optionListFields(): INodeProperties[] {
  const shown = { show: { ...show, messageType: ["option_list"] } };
  return [
    {
      displayName: "List Title",
      name: "listTitle",
      type: "string",
      default: "",
      required: true,
      displayOptions: shown,
      routing: { send: { type: "body", property: "optionList.title" } },
    },
    {
      displayName: "Button Label",
      name: "buttonLabel",
      type: "string",
      default: "",
      required: true,
      displayOptions: shown,
      routing: { send: { type: "body", property: "optionList.buttonLabel" } },
      description: "Label of the button that opens the list",
    },
    {
      displayName: "Options",
      name: "listOptions",
      type: "fixedCollection",
      typeOptions: { multipleValues: true },
      placeholder: "Add Option",
      default: {},
      displayOptions: shown,
      description: "1 to 10 options",
      routing: {
        send: {
          type: "body",
          property: "optionList.options",
          value:
            "={{ ($value.option ?? []).map(({ id, title, description }) => ({ id: id || undefined, title, description: description || undefined })) }}",
        },
      },
      options: [
        {
          displayName: "Option",
          name: "option",
          values: [
            { displayName: "Title", name: "title", type: "string", default: "" },
            { displayName: "Description", name: "description", type: "string", default: "" },
            {
              displayName: "ID",
              name: "id",
              type: "string",
              default: "",
              description: "Default: its position, starting at 1",
            },
          ],
        },
      ],
    },
  ];
}
