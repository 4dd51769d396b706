/**
 * The console page of the local stack: what the simulated customers see, the e-mails, the queue. It
 * is an ordinary client that uses only the HTTP APIs of the simulator and the product.
 */
import {
  answerPage,
  type ConsoleFilesOptions,
  createConsoleFiles,
  refuseWrite,
} from "../../console/assets.ts";
import type { ConsoleInstances } from "./instances.ts";
import { consolePage } from "./page.ts";

/** Initial values of the page's fields, so that a first visit shows the queue at once. */
export interface ConsoleDemo {
  readonly instanceId: string;
  readonly clientToken: string;
  /** Path of the secret key's file; null if the stack got the key from the environment. */
  readonly secretKeyFile: string | null;
  /** Base URL of the stack, without a path: `http://127.0.0.1:54321`. */
  readonly baseUrl: string;
}

export interface ConsoleOptions {
  /** Called at each visit. Null if there is no demo workspace; then the fields stay empty. */
  readonly demo: () => ConsoleDemo | null | Promise<ConsoleDemo | null>;
  /** Null where there is no such instance. */
  readonly readSchedule: ConsoleFilesOptions["readSchedule"];
  /** Null until the stack has started: then there are none. Default: always. */
  readonly instances?: () => ConsoleInstances | null;
}

export interface Console {
  /**
   * Whether this path belongs to the console. Check it before the simulator: `/simulator/demo`
   * belongs to the console.
   */
  handles(pathname: string): boolean;
  fetch(request: Request): Promise<Response>;
}

const demoPath = "/simulator/demo";
const instancesPath = "/console/instances";
const tokensPath = /^\/console\/instances\/([^/]+)\/tokens$/;

/** The scripts of what is simulated. */
const scripts = [
  ...[
    "accounts",
    "templates",
    "composer",
    "connections",
    "copy_button",
    "faults",
    "instances",
    "live",
    "main",
    "menu",
    "message_actions",
    "message_bubble",
    "message_choice",
    "message_parts",
    "payment_view",
    "outside_calls",
  ],
  ...["part_form", "part_view", "phones", "receiver", "reply_bubble", "simulated_names"],
];

/** Builds the handler of the page, its files, `GET /simulator/demo` and what is below `/console`. */
export function createConsole({ demo, readSchedule, instances }: ConsoleOptions): Console {
  const files = createConsoleFiles({ scripts, readSchedule });
  const openToken = async (instanceId: string): Promise<Response> => {
    const known = await demo();
    const clientToken = known?.instanceId === instanceId
      ? known.clientToken
      : await instances?.()?.openToken(instanceId) ?? null;
    return answerValue({ clientToken }, clientToken === null ? 404 : 200);
  };
  return {
    handles: (pathname) =>
      ["/", demoPath, instancesPath].includes(pathname) || tokensPath.test(pathname) ||
      files.handles(pathname),
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const [, tokenOf] = tokensPath.exec(pathname) ?? [];
      if (tokenOf !== undefined && request.method === "POST") return await openToken(tokenOf);
      const refusal = refuseWrite(request);
      if (refusal !== null) return refusal;
      if (pathname === "/") return answerPage(consolePage, "text/html; charset=utf-8");
      if (pathname === demoPath) return answerValue(await demo());
      if (pathname === instancesPath) {
        return answerValue({ items: await instances?.()?.list() ?? [] });
      }
      return await files.fetch(request);
    },
  };
}

function answerValue(value: unknown, status = 200): Response {
  return answerPage(JSON.stringify(value), "application/json", status);
}
