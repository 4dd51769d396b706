import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installNpmPackage } from "../../supabase/tools/npm_package.ts";
import { documentFile } from "../../supabase/tools/write_openapi.ts";
import { assertEquals } from "../support/assert.ts";

const linter = "@redocly/cli@2.77.0";
/** Only a linter that hangs takes so long. */
const linterTimeoutMs = 600_000;

/** Operations that only return documents have no error answers, nor has a page. Reading a file is a redirect. */
const acceptedWarnings = [
  "operation-2xx-response /paths/~1functions~1v1~1media-api~1media~1{mediaId}/get/responses",
  "operation-4xx-response /paths/~1functions~1v1~1connect/get/responses",
];

interface LintReport {
  readonly totals: { readonly errors: number };
  readonly problems: readonly {
    readonly ruleId: string;
    readonly severity: string;
    readonly message: string;
    readonly location: readonly { readonly pointer?: string }[];
  }[];
}

const program = await installLinter();

Deno.test({
  name:
    "the OpenAPI document passes the recommended rules of a public linter (skipped without the npm registry)",
  ignore: program === undefined,
  fn: async () => {
    const stdout = await runLinter(
      program ?? "",
      "lint",
      fileURLToPath(documentFile),
      "--extends=recommended",
      "--format=json",
    );
    const report: LintReport = JSON.parse(stdout);
    const problems = report.problems.map(({ ruleId, severity, message, location }) => {
      const pointer = location[0]?.pointer?.replace(/^#/, "") ?? "";
      return severity === "warn" ? `${ruleId} ${pointer}` : `${ruleId} ${pointer}: ${message}`;
    });
    assertEquals(report.totals.errors, 0, problems.join("\n"));
    assertEquals(problems.sort(), acceptedWarnings);
  },
});

/** It comes from the npm registry, which a machine without a network does not have. */
async function installLinter(): Promise<string | undefined> {
  try {
    const installed = await installNpmPackage(linter, {
      npm_config_fetch_retry_mintimeout: "1000",
      npm_config_fetch_retry_maxtimeout: "3000",
    }, AbortSignal.timeout(linterTimeoutMs));
    return "folder" in installed ? join(installed.folder, "redocly") : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function runLinter(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(program, {
    args,
    env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    signal: AbortSignal.timeout(linterTimeoutMs),
  }).output();
  return new TextDecoder().decode(stdout);
}
