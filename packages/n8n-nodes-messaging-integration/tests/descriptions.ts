/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
/** What the built nodes say of themselves. */

import { join } from "node:path";
import { run } from "./package_copy.ts";

/** A parameter, as far as tests read it. */
export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
  readonly displayOptions?: {
    readonly show?: Readonly<Record<string, readonly unknown[]>>;
    readonly hide?: Readonly<Record<string, readonly unknown[]>>;
  };
  readonly options?: readonly Option[];
  readonly routing?: Routing;
}

export interface Option extends Partial<Parameter> {
  readonly name: string;
  readonly value?: string;
}

export interface Routing {
  readonly request?: { readonly method?: string; readonly url?: string };
  readonly send?: { readonly type?: "body" | "query"; readonly property?: string };
}

/** An operation of the node with the parameters that it shows. */
export interface Operation {
  readonly resource: string;
  readonly operation: string;
  readonly routing: Routing;
  readonly parameters: readonly Parameter[];
}

// Descriptions need of n8n-workflow one constant alone; its 120 packages are of the run in n8n.
const script = `
const Module = require("node:module");
const load = Module._load;
const constants = { NodeConnectionTypes: { Main: "main" }, NodeApiError: Error, NodeOperationError: Error };
Module._load = (name, ...more) => name === "n8n-workflow" ? constants : load(name, ...more);
const [path, name] = process.argv.slice(1);
process.stdout.write(JSON.stringify(new (require(path)[name])().description));
`;

/** The node's operations, from a folder in which the package is built. */
export async function readOperations(built: string): Promise<Operation[]> {
  const name = "MessagingIntegration";
  const path = join(built, `dist/nodes/${name}/${name}.node.js`);
  const { properties } = JSON.parse(await run("node", ["-e", script, path, name], built));
  const parameters = properties as Parameter[];
  return parameters.filter((parameter) => parameter.name === "operation").flatMap((parameter) => {
    const [resource = ""] = (parameter.displayOptions?.show?.["resource"] ?? []) as string[];
    return (parameter.options ?? []).map(({ value = "", routing = {} }) => ({
      resource,
      operation: value,
      routing,
      parameters: parameters.filter(({ displayOptions }) =>
        displayOptions?.show?.["resource"]?.includes(resource) === true &&
        displayOptions.show["operation"]?.includes(value) === true
      ),
    }));
  });
}

/** A field that a parameter sends. */
export interface SentField {
  readonly name: string;
  readonly type: string;
  /** The words that the parameter offers; undefined where it takes any value. */
  readonly choices?: readonly string[] | undefined;
}

/** Where a parameter's value goes, and those of what it contains. */
export function sentBy({ type, options = [], routing = {} }: Parameter | Option): SentField[] {
  const { send } = routing;
  const choices = type === "options" ? options.map(({ value = "" }) => value) : undefined;
  const own = send?.property === undefined || send.type === undefined
    ? []
    : [{ name: send.property, type: send.type, choices }];
  return [...own, ...options.flatMap(sentBy)];
}
