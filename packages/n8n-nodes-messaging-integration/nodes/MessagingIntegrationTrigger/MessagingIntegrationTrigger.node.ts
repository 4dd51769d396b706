import {
  type IDataObject,
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from "n8n-workflow";
import { eventTypes } from "../MessagingIntegration/options";
import { createEndpoint, hasEndpoint, removeEndpoint } from "./endpoint";
import { rememberDelivery } from "./seen_deliveries";
import { answerCall, readSignedCall, refuseSignature } from "./signed_call";

/** Starts a workflow with each event of the instance that its endpoint is sent. */
export class MessagingIntegrationTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Messaging Integration Trigger",
    name: "messagingIntegrationTrigger",
    icon: { light: "file:../../icons/messaging.svg", dark: "file:../../icons/messaging.dark.svg" },
    group: ["trigger"],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: "Starts the workflow when a message arrives, or another event happens",
    defaults: { name: "Messaging Integration Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "messagingIntegrationApi", required: true }],
    webhooks: [
      { name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook" },
    ],
    properties: [
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        options: eventTypes,
        default: ["message.received"],
        description: "What starts the workflow; every event when empty",
      },
      {
        displayName: "Options",
        name: "options",
        type: "collection",
        placeholder: "Add Option",
        default: {},
        options: [
          {
            displayName: "Start Once per Event",
            name: "startOnce",
            type: "boolean",
            default: true,
            description:
              "Whether an event that has started the workflow already, one of the last 1,000, starts it no second time. Switch it off to send events again on purpose.",
          },
        ],
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return await hasEndpoint(this);
      },
      async create(this: IHookFunctions): Promise<boolean> {
        return await createEndpoint(this);
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        return await removeEndpoint(this);
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const kept = this.getWorkflowStaticData("node");
    const call = readSignedCall(this, kept.secret);
    if (call === null) return refuseSignature(this);
    const novelty = rememberDelivery(String(kept.endpointId), call);
    if (novelty === "replayed") return answerCall(this, 409, "replayed");
    const event = JSON.parse(call.body.toString("utf8")) as IDataObject;
    const { startOnce = true } = this.getNodeParameter("options", {}) as IDataObject;
    // A test of the endpoint is for who builds the workflow.
    const isTest = event.type === "endpoint.test" && this.getMode() !== "manual";
    if (isTest || (novelty === "repeated" && startOnce !== false)) return answerCall(this, 204);
    return { workflowData: [[{ json: event }]] };
  }
}
