import { type Deprecation, nameDeprecation } from "../../shared/model/deprecations.ts";
import { contractDate } from "../../shared/model/contract_date.ts";

/** The page of versions in Markdown, below its title: the policy, and the list of what is to go. */
export function writeVersions(entries: readonly Deprecation[]): string {
  return `${policy}\n\n## What is to go\n\n${writeList(entries)}`;
}

const policy = `How the contract changes, and how a caller learns of it.

## Names of a version

- Paths carry \`v1\`. It becomes another only with a contract that today's callers could not use.
- **\`X-Api-Version\`** of every answer names the contract's date: since that day it is as it is, today's is \`${contractDate}\`. It changes with releases that add to the contract or take from it. The release itself is \`info.version\` of the OpenAPI document.

## What may change at any time

- Additions: operations, optional fields of a request, members of an answer, event types, words of a list (states, reasons, error codes), headers. Read what you know, and let the rest pass.
- The words of \`message\`, the order of lists where the document names none, what is answered with \`internal_error\`.
- Limits that protect the service, where the answer names them; faults that are put right.

## What is announced

Everything else that stops working as it is documented: an operation, a field, a parameter that goes or means something else. At least 12 months before:

- its answers carry \`Deprecation\` (RFC 9745: the day since which it is to go) and \`Sunset\` (RFC 8594: the first day on which it may be gone), with a \`Link\` to this page. Of a field or a parameter, the answers to calls that use it;
- the OpenAPI document says \`deprecated\` with what to do instead, and so do the reference and the TypeScript client (\`@deprecated\`);
- \`metrics\` counts the calls by token: \`messaging_deprecated_calls_total\`, so that the operator of the service knows whom to tell;
- the changelog says so under "Deprecated", and the list below has it.`;

const none =
  "Nothing is to go at present. `assignTo` and `portfolio` of `send-message` are kept for compatibility: they have no end, and new integrations use `conversations-api`.";

function writeList(entries: readonly Deprecation[]): string {
  if (entries.length === 0) return none;
  return entries.map((entry) =>
    `- \`${
      nameDeprecation(entry)
    }\`, since ${entry.since}, may be gone from ${entry.until}. ${entry.instead}`
  ).join("\n");
}
