import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from "n8n-workflow";

/** What opens one instance: where the service is, and the instance's client token. */
export class MessagingIntegrationApi implements ICredentialType {
  name = "messagingIntegrationApi";

  displayName = "Messaging Integration API";

  documentationUrl = "https://example.com/messaging-integration-api/docs/clients.md";

  icon: Icon = { light: "file:../icons/messaging.svg", dark: "file:../icons/messaging.dark.svg" };

  properties: INodeProperties[] = [
    {
      displayName: "Base URL",
      name: "baseUrl",
      type: "string",
      default: "",
      required: true,
      placeholder: "https://abcdefghijklmnopqrst.supabase.co",
      description:
        "Address of the project on Supabase, or of your own server, without /functions/v1",
    },
    {
      displayName: "Client Token",
      name: "token",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
      placeholder: "mia_...",
      description: "Token of one instance. Its scopes decide which operations succeed.",
    },
    {
      displayName: "Instance ID",
      name: "instanceId",
      type: "string",
      default: "",
      required: true,
      description: "The token's instance: its UUID, business instance ID or embed key",
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { "X-Client-Token": "={{$credentials.token}}" } },
  };

  // A ping of `mcp` is the one call that every token may make, whatever its scopes are.
  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}',
      url: "/functions/v1/mcp",
      method: "POST",
      headers: { Accept: "application/json, text/event-stream" },
      body: { jsonrpc: "2.0", id: 1, method: "ping" },
      json: true,
    },
  };
}
