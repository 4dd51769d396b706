import { demoAgentId, demoInstanceId } from "../../../shared/openapi/demo_fixtures.ts";
import { changesOnly, exampleInstant, type ResourceDocs } from "./resource_docs.ts";
import { agents } from "./agents.ts";

export const agentDocs: ResourceDocs = {
  resource: agents,
  name: "Agent",
  singular: "an AI agent",
  plural: "AI agents",
  example: {
    agentId: demoAgentId,
    instanceId: demoInstanceId,
    name: "Lia",
    instructions: "Você atende a loja. Responda em português, em poucas palavras.",
    model: "gpt-4.1-mini",
    isActive: true,
    maxMessagesPerAnswer: 1,
    answersWithin: 21_600,
    createdAt: exampleInstant,
    updatedAt: exampleInstant,
  },
  listErrors: ["Instance not found"],
  create: {
    description:
      "An AI agent replies to the contacts of an instance. `model` is a model of the configured chat completions endpoint.",
    errors: ["Instance not found"],
    request: {
      instanceId: demoInstanceId,
      name: "Noa",
      instructions: "Você qualifica leads. Use {{customerName}} quando souber.",
      model: "gpt-4.1-mini",
      isActive: false,
    },
    changed: {
      name: "Noa",
      instructions: "Você qualifica leads. Use {{customerName}} quando souber.",
      isActive: false,
    },
  },
  update: {
    description: changesOnly,
    errors: [],
    request: { isActive: true },
  },
  commandLine: {
    description: "AI agents of an instance",
    columns: ["agentId", "name", "model", "isActive", "instanceId"],
    example: 'agents create --instance <id> --name Lia --instructions "..." --model gpt-4.1-mini',
  },
};
