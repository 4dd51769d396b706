import type { INodeProperties } from "n8n-workflow";
import { additionalFields, idempotencyKeyField, idField, pathPart } from "../shared/fields";
import { attachFile, readFile } from "../shared/files";

const show = { resource: ["media"] };

/** Files of messages. */
export const mediaDescription: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show },
    options: [
      {
        name: "Download",
        value: "download",
        action: "Download a file",
        description: "Read a file of a message, or one that was uploaded",
        routing: {
          request: {
            method: "GET",
            url: `=/media-api/media/${pathPart("mediaId")}`,
            disableFollowRedirect: true,
          },
          output: { postReceive: [readFile] },
        },
      },
      {
        name: "Upload",
        value: "upload",
        action: "Upload a file",
        description: "Upload a file of the item, to be sent any number of times",
        routing: {
          request: { method: "POST", url: "/media-api/media" },
          send: { preSend: [attachFile] },
        },
      },
      {
        name: "Upload From URL",
        value: "uploadFromUrl",
        action: "Upload a file from a URL",
        description: "Let the service fetch a file from a public URL",
        routing: { request: { method: "POST", url: "/media-api/media" } },
      },
    ],
    default: "upload",
  },
  idField("media", ["download"], {
    name: "mediaId",
    displayName: "Media ID",
    description: "The mediaId of a message, or of an upload",
  }),
  {
    displayName: "Input Binary Field",
    name: "binaryPropertyName",
    type: "string",
    default: "data",
    required: true,
    hint: "The name of the input field that holds the file",
    displayOptions: { show: { ...show, operation: ["upload"] } },
  },
  {
    displayName: "Put Output File in Field",
    name: "binaryPropertyName",
    type: "string",
    default: "data",
    required: true,
    hint: "The name of the output field to put the file in",
    displayOptions: { show: { ...show, operation: ["download"] } },
  },
  {
    displayName: "URL",
    name: "url",
    type: "string",
    default: "",
    required: true,
    displayOptions: { show: { ...show, operation: ["uploadFromUrl"] } },
    routing: { send: { type: "body", property: "url" } },
    description: "Public https URL of the file; it is fetched once",
  },
  additionalFields("media", ["upload", "uploadFromUrl"], [idempotencyKeyField]),
];
