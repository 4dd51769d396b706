import {
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from "n8n-workflow";
import { batchDescription } from "./resources/batch";
import { contactDescription } from "./resources/contact";
import { conversationDescription } from "./resources/conversation";
import { mediaDescription } from "./resources/media";
import { messageDescription } from "./resources/message";
import { templateDescription } from "./resources/template";
import { readAnswer } from "./shared/answer";
import { prepareRequest } from "./shared/request";
import { resumeWebhooks, resumeWithEnd, sendAndWait } from "./shared/send_and_wait";
import { searchTemplates } from "./shared/templates";

/** The operations of the API, each a call of its own. */
export class MessagingIntegration implements INodeType {
  methods = { listSearch: { searchTemplates } };

  /** All others are declared by their routing. */
  customOperations = { message: { sendAndWait } };

  description: INodeTypeDescription = {
    displayName: "Messaging Integration",
    name: "messagingIntegration",
    icon: { light: "file:../../icons/messaging.svg", dark: "file:../../icons/messaging.dark.svg" },
    group: ["output"],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: "Send and read WhatsApp messages through the Messaging Integration API",
    defaults: { name: "Messaging Integration" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "messagingIntegrationApi", required: true }],
    webhooks: resumeWebhooks,
    requestDefaults: {
      baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}/functions/v1',
      headers: { Accept: "application/json" },
      // A refusal is read for what it says: see readAnswer.
      ignoreHttpStatusErrors: true,
    },
    properties: [
      {
        displayName: "Resource",
        name: "resource",
        type: "options",
        noDataExpression: true,
        options: [
          { name: "Batch", value: "batch" },
          { name: "Contact", value: "contact" },
          { name: "Conversation", value: "conversation" },
          { name: "Media", value: "media" },
          { name: "Message", value: "message" },
          { name: "Template", value: "template" },
        ],
        default: "message",
        // First of all: the body is whole when the operation's own steps change it.
        routing: {
          send: { preSend: [prepareRequest] },
          output: { postReceive: [readAnswer] },
        },
      },
      ...batchDescription,
      ...contactDescription,
      ...conversationDescription,
      ...mediaDescription,
      ...messageDescription,
      ...templateDescription,
    ],
  };

  /** Ends the waiting of "Send and Wait for Response". */
  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return await resumeWithEnd.call(this);
  }
}
