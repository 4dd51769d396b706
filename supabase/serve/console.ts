/** The console of a service, behind the secret key. It has nothing that is simulated. */

import { equalInConstantTime } from "../../shared/crypto/constant_time.ts";
import { answerPage, createConsoleFiles, refuseWrite } from "../console/assets.ts";
import { openSchedules } from "../console/schedules.ts";
import { serviceConsolePage } from "./console_page.ts";

export interface ServiceConsole {
  /** Answers `/console` and everything below it. */
  fetch(request: Request): Promise<Response>;
}

const pagePath = "/console/";

/** The page's own script. */
const scripts = ["service_main"];

/**
 * @param origin where this machine reaches the service.
 * @param secretKeys of the project: each opens the console, as the password of HTTP's Basic
 * authentication, whatever the user name is.
 */
export function createServiceConsole(
  origin: string,
  secretKeys: readonly [string, ...string[]],
): ServiceConsole {
  const files = createConsoleFiles({ scripts, readSchedule: openSchedules(origin, secretKeys[0]) });
  return {
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      if (!await isAllowed(request, secretKeys)) return askForKey();
      const refusal = refuseWrite(request);
      if (refusal !== null) return refusal;
      if (pathname === pagePath) return answerPage(serviceConsolePage, "text/html; charset=utf-8");
      if (pathname === "/console") return toPage();
      return await files.fetch(request);
    },
  };
}

/** Whether a path is the console's. */
export function isConsolePath(pathname: string): boolean {
  return pathname === "/console" || pathname.startsWith(pagePath);
}

async function isAllowed(request: Request, secretKeys: readonly string[]): Promise<boolean> {
  const password = readPassword(request.headers.get("authorization") ?? "");
  if (password === null) return false;
  // Each is compared, so that the time does not tell which one it was.
  const equal = await Promise.all(secretKeys.map((key) => equalInConstantTime(password, key)));
  return equal.includes(true);
}

/** The password of Basic authentication (RFC 7617); null for any other header. */
function readPassword(header: string): string | null {
  const [, encoded] = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  if (encoded === undefined) return null;
  try {
    const credentials = atob(encoded);
    const end = credentials.indexOf(":");
    return end < 0 ? null : credentials.slice(end + 1);
  } catch {
    return null;
  }
}

function askForKey(): Response {
  const response = answerPage(
    "The console opens with the secret key as the password; the user name does not matter.\n",
    "text/plain; charset=utf-8",
    401,
  );
  response.headers.set("WWW-Authenticate", 'Basic realm="Messaging console", charset="UTF-8"');
  return response;
}

function toPage(): Response {
  const response = answerPage("", "text/plain; charset=utf-8", 308);
  response.headers.set("Location", pagePath);
  return response;
}
