/**
 * The console page of the local stack: what the simulated customers see, the e-mails, the queue. It
 * is an ordinary client that uses only the HTTP APIs of the simulator and the product.
 */
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

/** When an instance sends, as admin-api tells it. Instance tokens cannot read it. */
export interface ConsoleSchedule {
  readonly timeZone: string;
  readonly sendWindow: {
    readonly start: string;
    readonly end: string;
    /** ISO weekdays, from 1 for Monday. */
    readonly days: readonly number[];
    readonly holidays: readonly string[];
  };
}

export interface ConsoleOptions {
  /** Called at each visit. Null if there is no demo workspace; then the fields stay empty. */
  readonly demo: () => ConsoleDemo | null | Promise<ConsoleDemo | null>;
  /** Called while the page shows an instance's queue. Null where there is no such instance. */
  readonly readSchedule: (instanceId: string) => Promise<ConsoleSchedule | null>;
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
const schedulePath = "/simulator/schedule";

const scriptType = "text/javascript; charset=utf-8";

/** The files that the page loads, served unchanged from this folder. */
const assets: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  "/console/console.css": { file: "./console.css", type: "text/css; charset=utf-8" },
  ...Object.fromEntries(
    [
      "activity",
      "batches",
      "client",
      "composer",
      "contact",
      "dom",
      "events",
      "connections",
      "faults",
      "format",
      "live",
      "main",
      "message_bubble",
      "phones",
      "portuguese",
      "reply_bubble",
      "queue",
      "receiver",
      "slots",
      "tabs",
      "timeline",
      "webhooks",
      "words",
    ].map((name) => [`/console/${name}.js`, {
      file: `./browser/${name}.js`,
      type: scriptType,
    }]),
  ),
};

const securityHeaders = {
  "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; " +
    "connect-src 'self'; img-src 'self' https: data:; media-src 'self' https: data:; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
};

/** Builds the handler of the page, its files, `GET /simulator/demo` and `/simulator/schedule`. */
export function createConsole(options: ConsoleOptions): Console {
  return {
    handles: (pathname) =>
      ["/", demoPath, schedulePath].includes(pathname) || Object.hasOwn(assets, pathname),
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (request.method !== "GET" && request.method !== "HEAD") {
        return answer("Method Not Allowed", "text/plain; charset=utf-8", 405);
      }
      if (pathname === "/") return answer(consolePage, "text/html; charset=utf-8");
      if (pathname === demoPath) {
        return answer(JSON.stringify(await options.demo()), "application/json");
      }
      if (pathname === schedulePath) {
        const schedule = await options.readSchedule(searchParams.get("instanceId") ?? "");
        return answer(JSON.stringify(schedule), "application/json");
      }
      const asset = Object.hasOwn(assets, pathname) ? assets[pathname] : undefined;
      if (asset === undefined) return answer("Not Found", "text/plain; charset=utf-8", 404);
      return answer(await Deno.readTextFile(new URL(asset.file, import.meta.url)), asset.type);
    },
  };
}

function answer(body: string, type: string, status = 200): Response {
  return new Response(body, { status, headers: { ...securityHeaders, "Content-Type": type } });
}
