import { Command, CommanderError } from "commander";
import { tokenScopes } from "../../shared/model/token_scope.ts";
import { version } from "../../shared/model/version.ts";
import { toVisibleJson, toVisibleText } from "../../shared/model/visible_text.ts";
import { type AdminAnswer, type AdminApi, AdminApiError, unexpectedResponse } from "./admin_api.ts";
import { resourceDocs } from "../../functions/admin-api/docs.ts";
import { outbox } from "../../functions/admin-api/resources/outbox.ts";
import type { ResourceDocs } from "../../functions/admin-api/resources/resource_docs.ts";
import { templates } from "../../functions/admin-api/resources/templates.ts";
import { addBatches } from "./batch_commands.ts";
import { addConnection } from "./connection_commands.ts";
import { addTemplateCommands } from "./template_commands.ts";
import { addRates } from "./rate_commands.ts";
import { addUsage } from "./usage_commands.ts";
import { addQueue, readAttention } from "./queue_commands.ts";
import { readFields } from "./field_values.ts";
import { type FieldOption, listOptions } from "./resource_options.ts";
import { resealAll } from "./reseal_all.ts";
import { formatRecord, formatTable } from "./table.ts";

/** The dependencies of a run. */
export interface AdminCommandContext {
  readonly api: AdminApi;
  readonly print: (text: string) => void;
  /** Receives errors, so that `--json` prints only the API's response. */
  readonly printError: (text: string) => void;
  readonly readFile: (path: string) => Promise<string>;
  readonly readStdin: () => Promise<string>;
  readonly writeFile?: (path: string, text: string) => Promise<void>;
  readonly listFolder?: (path: string) => Promise<readonly string[]>;
  /** Reads a batch with the client token of its instance. @throws {AdminApiError} */
  readonly readBatch?: (batchId: string) => Promise<unknown>;
  /** Whether `print` writes to a terminal. */
  readonly isTerminal?: boolean;
  /** Width of the terminal. */
  readonly columns?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

type Options = Readonly<Record<string, unknown>>;

/**
 * Runs one command line of `deno task admin`.
 *
 * @returns the exit code: 0 for success, 1 for an error of the API, 2 for an invalid command,
 * address or key.
 */
export async function runAdminCommand(
  terminal: AdminCommandContext,
  args: readonly string[],
): Promise<number> {
  const context = withVisibleText(terminal);
  try {
    await createProgram(context).parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof AdminApiError)) throw error;
    context.printError(`${error.message}\n`);
    return error.isMisuse ? 2 : 1;
  }
}

/** What a command prints holds texts that anybody has written: none of them reaches the terminal as it is. */
function withVisibleText(terminal: AdminCommandContext): PrintingContext {
  return {
    ...terminal,
    print: (text) => terminal.print(toVisibleText(text)),
    printError: (text) => terminal.printError(toVisibleText(text)),
    redraw: (line) => terminal.print(`\r\x1b[K${toVisibleText(line)}`),
  };
}

interface PrintingContext extends AdminCommandContext {
  /** Writes a line over the one before it. */
  readonly redraw: (line: string) => void;
}

const noToken = "Set CLIENT_TOKEN to a client token of the batch's instance.";

function createProgram(context: PrintingContext): Command {
  const program = new Command("deno task admin")
    .description(
      "Administers the service through admin-api. API_URL (or SUPABASE_URL) is the URL of the service and SUPABASE_SECRET_KEY its secret key. Default: the local stack that runs on DATA_DIR, whose address and key are read there.",
    )
    .version(version, "--version", "print the release")
    .option("--json", "print the API's response as JSON")
    .exitOverride()
    .configureOutput({ writeOut: context.print, writeErr: context.printError });
  for (const docs of resourceDocs) addResource(context, program, docs);
  addTokens(context, program);
  addConnection({
    api: context.api,
    print: context.print,
    wantsJson: () => wantsJson(program),
    show: (answer) => show(context, program, answer),
  }, program);
  addHealth(context, program);
  addCredentials(context, program);
  addQueue({
    api: context.api,
    print: context.print,
    wantsJson: () => wantsJson(program),
    listAll: (path) => listAll(context.api, path, {}),
  }, program);
  addRates({
    api: context.api,
    print: context.print,
    wantsJson: () => wantsJson(program),
    readFile: context.readFile,
  }, program);
  addUsage({
    api: context.api,
    print: context.print,
    wantsJson: () => wantsJson(program),
    listAll: (path, query) => listAll(context.api, path, query),
  }, program);
  addBatches({
    redraw: context.redraw,
    readBatch: context.readBatch ?? (() => Promise.reject(new AdminApiError(noToken, true))),
    print: context.print,
    wantsJson: () => wantsJson(program),
    isTerminal: context.isTerminal ?? false,
    columns: context.columns ?? (() => 80),
    wait: context.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
  }, program);
  for (const command of program.commands) {
    for (const verb of command.commands) verb.exitOverride().copyInheritedSettings(program);
    command.exitOverride().copyInheritedSettings(program);
  }
  return program;
}

function addResource(context: AdminCommandContext, program: Command, docs: ResourceDocs): void {
  const { api } = context;
  const { resource, commandLine, fields } = docs;
  const name = resource.path.slice(1);
  const command = program.command(name).description(commandLine.description)
    .addHelpText("after", `\nExample:\n  deno task admin ${commandLine.example}`);
  if (commandLine.workedExample !== undefined) {
    command.addHelpText("after", `\n${commandLine.workedExample}`);
  }

  if (resource.create !== undefined) {
    const created = listOptions(resource.create.schema, fields);
    addOptions(command.command("create").description(`create ${docs.singular}`), created)
      .action(async (options: Options) => {
        const body = await readFields(context, created, options);
        show(context, program, await api.call("POST", name, body));
      });
  }

  const filters = listOptions(resource.list.schema, fields);
  addOptions(command.command("list").description(`list all ${docs.plural}`), filters)
    .action(async (options: Options) => {
      const items = await listAll(api, name, await readFields(context, filters, options));
      showList(context, program, items, commandLine.columns);
    });

  if (docs.isReadable !== false) {
    command.command("get <id>").description(`show ${docs.singular}`).action(async (id: string) => {
      show(context, program, await api.call("GET", `${name}/${encodeURIComponent(id)}`));
    });
  }

  if (resource.update !== undefined) {
    const changed = listOptions(resource.update.schema, fields);
    addOptions(command.command("update <id>").description("change the given fields"), changed)
      .action(async (id: string, options: Options) => {
        const body = await readFields(context, changed, options);
        show(context, program, await api.call("PATCH", `${name}/${encodeURIComponent(id)}`, body));
      });
  }
  if (resource === templates) {
    addSync(context, program, command);
    addTemplateCommands({
      ...context,
      writeFile: context.writeFile ?? (() => Promise.reject(new Error("no files"))),
      listFolder: context.listFolder ?? (() => Promise.resolve([])),
      wantsJson: () => wantsJson(program),
      listAll: (path, query) => listAll(api, path, query),
    }, command);
  }
  if (resource === outbox) addRetry(context, program, command);
}

function addOptions(command: Command, options: readonly FieldOption[]): Command {
  for (const { flag, description, isRequired } of options) {
    if (isRequired) command.requiredOption(flag, description);
    else command.option(flag, description);
  }
  return command;
}

function addSync(context: AdminCommandContext, program: Command, command: Command): void {
  command.command("sync <instanceId>")
    .description("synchronize templates and their status with the official channel")
    .action(async (instanceId: string) => {
      const path = `instances/${encodeURIComponent(instanceId)}/templates/sync`;
      show(context, program, await context.api.call("POST", path, {}));
    });
}

/** The names of `--scopes`, separated by commas. The API checks them. */
function readScopes(names: unknown): string[] | undefined {
  return names === undefined ? undefined : String(names).split(",").map((name) => name.trim());
}

const tokenColumns = ["tokenId", "label", "lastUsedAt", "expiresAt", "revokedAt", "scopes"];

function addTokens(context: AdminCommandContext, program: Command): void {
  const { api } = context;
  const pathOf = (instanceId: string): string =>
    `instances/${encodeURIComponent(instanceId)}/tokens`;
  const pathOfOne = (instanceId: string, tokenId: string): string =>
    `${pathOf(instanceId)}/${encodeURIComponent(tokenId)}`;
  const command = program.command("tokens").description("client tokens of an instance")
    .addHelpText("after", '\nExample:\n  deno task admin tokens create <instanceId> --label "CRM"');

  command.command("create <instanceId>").description("create a token; it is shown only once")
    .option("--label <text>", "purpose of the token")
    .option("--expires-at <instant>", "ISO 8601 with offset; default: the token does not expire")
    .option(
      "--scopes <names>",
      `what it may be used for: ${tokenScopes.join(",")}; default: everything. ` +
        "contacts reads and writes contacts, erase erases one, contacts,history exports one",
    )
    .action(async (instanceId: string, { label, expiresAt, scopes }: Options) => {
      const fields = { label, expiresAt, scopes: readScopes(scopes) };
      show(context, program, await api.call("POST", pathOf(instanceId), fields));
    });

  command.command("list <instanceId>").description("list all tokens, including revoked ones")
    .action(async (instanceId: string) => {
      showList(context, program, await listAll(api, pathOf(instanceId), {}), tokenColumns);
    });

  const revoke = (instanceId: string, tokenId: string): Promise<AdminAnswer> =>
    api.call("DELETE", pathOfOne(instanceId, tokenId));
  command.command("revoke <instanceId> <tokenId>").description(
    "revoke a token; it becomes invalid immediately",
  )
    .action(async (instanceId: string, tokenId: string) => {
      show(context, program, await revoke(instanceId, tokenId));
    });

  const revokeFormer = async (instanceId: string, tokenId: string): Promise<void> => {
    try {
      await revoke(instanceId, tokenId);
    } catch (error) {
      if (!(error instanceof AdminApiError)) throw error;
      throw new AdminApiError(
        `The old token is not revoked and is still valid. Run:\n  deno task admin tokens revoke ${instanceId} ${tokenId}\n${error.message}`,
      );
    }
  };
  command.command("rotate <instanceId> <tokenId>")
    .description("create a token with the same label, expiry and scopes, then revoke the old one")
    .option("--keep-old", "do not revoke the old token; revoke it when the new one is in use")
    .action(async (instanceId: string, tokenId: string, { keepOld }: Options) => {
      const { label, expiresAt, scopes } = await api.call("GET", pathOfOne(instanceId, tokenId));
      const created = await api.call("POST", pathOf(instanceId), { label, expiresAt, scopes });
      // Shows the token first, because the API never returns it again.
      show(context, program, created);
      if (keepOld !== true) await revokeFormer(instanceId, tokenId);
    });
}

function addRetry(context: AdminCommandContext, program: Command, command: Command): void {
  command.command("retry <id>").description("retry a dead entry").action(async (id: string) => {
    const path = `outbox/${encodeURIComponent(id)}/retry`;
    show(context, program, await context.api.call("POST", path, {}));
  });
}

function addHealth(context: AdminCommandContext, program: Command): void {
  program.command("health").description("whether all instances' messages go out")
    .addHelpText("after", "\nExample:\n  deno task admin health")
    .action(async () => {
      const answer = await context.api.call("GET", "health");
      if (wantsJson(program)) return show(context, program, answer);
      const { attention, ...figures } = answer;
      context.print(`${formatRecord(figures)}\n\nNeed attention:\n`);
      context.print(`${formatAttention(attention)}\n`);
    });
}

/** The instances that need attention, with the members that the API gives of each. */
function formatAttention(attention: unknown): string {
  const instances = readAttention(attention);
  return formatTable(instances, Object.keys(instances[0] ?? {}));
}

function addCredentials(context: AdminCommandContext, program: Command): void {
  const command = program.command("credentials").description("credentials of the providers");
  command.command("reseal")
    .description(
      "seal all credentials under the first key of CREDENTIALS_KEYS (keyId is its id), so that former keys can be removed",
    )
    .action(async () => {
      show(context, program, await resealAll(context.api));
    });
}

/** Reads every page of a collection. */
async function listAll(api: AdminApi, path: string, query: Options): Promise<AdminAnswer[]> {
  const items: AdminAnswer[] = [];
  let cursor: unknown = null;
  do {
    const parameters = new URLSearchParams({ limit: "1000" });
    for (const [name, value] of Object.entries({ ...query, cursor })) {
      if (typeof value === "string") parameters.set(name, value);
    }
    const page = await api.call("GET", `${path}?${parameters}`);
    if (!Array.isArray(page["items"])) throw new AdminApiError(unexpectedResponse);
    items.push(...page["items"]);
    cursor = page["nextCursor"];
  } while (typeof cursor === "string");
  return items;
}

function show({ print }: AdminCommandContext, program: Command, answer: AdminAnswer): void {
  print(`${wantsJson(program) ? toVisibleJson(answer, 2) : formatRecord(answer)}\n`);
}

function showList(
  { print }: AdminCommandContext,
  program: Command,
  items: readonly AdminAnswer[],
  columns: readonly string[],
): void {
  print(
    `${wantsJson(program) ? toVisibleJson({ items }, 2) : formatTable(items, columns)}\n`,
  );
}

function wantsJson(program: Command): boolean {
  return program.opts()["json"] === true;
}
