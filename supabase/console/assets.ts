/** What both consoles serve beside their page: its files, and when an instance sends. */

import type { ConsoleSchedule } from "./schedules.ts";

/** The scripts of the panels that need only the product's own API. */
const panelScripts = [
  ...["activity", "api_words", "batches", "client", "contact", "costs", "dom", "events", "format"],
  ...[
    "language",
    "media_summary",
    "portuguese",
    "prices",
    "queue",
    "slots",
    "tabs",
    "timeline",
    "webhooks",
    "words",
  ],
];

export const schedulePath = "/console/schedule";

export interface ConsoleFiles {
  /** Whether a path is one of a file, or of the schedule. */
  handles(pathname: string): boolean;
  fetch(request: Request): Promise<Response>;
}

export interface ConsoleFilesOptions {
  /** Names of the page's own scripts, without `.js`. */
  readonly scripts: readonly string[];
  /** Called while the page shows an instance's queue. Null where there is no such instance. */
  readonly readSchedule: (instanceId: string) => Promise<ConsoleSchedule | null>;
}

const securityHeaders = {
  "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; " +
    "connect-src 'self'; img-src 'self' https: data:; media-src 'self' https: data:; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
};

/** Builds the handler of `/console/...`. */
export function createConsoleFiles({ scripts, readSchedule }: ConsoleFilesOptions): ConsoleFiles {
  const files: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
    "/console/console.css": { file: "./console.css", type: "text/css; charset=utf-8" },
    ...Object.fromEntries([...panelScripts, ...scripts].map((name) => [`/console/${name}.js`, {
      file: `./browser/${name}.js`,
      type: "text/javascript; charset=utf-8",
    }])),
  };
  return {
    handles: (pathname) => pathname === schedulePath || Object.hasOwn(files, pathname),
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === schedulePath) {
        const schedule = await readSchedule(searchParams.get("instanceId") ?? "");
        return answerPage(JSON.stringify(schedule), "application/json");
      }
      const asset = Object.hasOwn(files, pathname) ? files[pathname] : undefined;
      if (asset === undefined) return answerPage("Not Found", "text/plain; charset=utf-8", 404);
      return answerPage(
        await Deno.readTextFile(new URL(asset.file, import.meta.url)),
        asset.type,
      );
    },
  };
}

/** An answer with the headers of every page and file of a console: nothing of elsewhere runs in it. */
export function answerPage(body: string, type: string, status = 200): Response {
  return new Response(body, { status, headers: { ...securityHeaders, "Content-Type": type } });
}

/** Refuses what does not only read; null for the others. */
export function refuseWrite({ method }: Request): Response | null {
  if (method === "GET" || method === "HEAD") return null;
  return answerPage("Method Not Allowed", "text/plain; charset=utf-8", 405);
}
