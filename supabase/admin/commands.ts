import { Command, CommanderError } from "commander";
import { type AdminAnswer, type AdminApi, AdminApiError, foreignAnswer } from "./admin_api.ts";
import { resourceDocs } from "../../functions/admin-api/docs.ts";
import { outboxPageSchema } from "../../functions/admin-api/resources/outbox.ts";
import type { ResourceDocs } from "../../functions/admin-api/resources/resource_docs.ts";
import { templates } from "../../functions/admin-api/resources/templates.ts";
import { readFields } from "./field_values.ts";
import { type FieldOption, listOptions } from "./resource_options.ts";
import { resealAll } from "./reseal_all.ts";
import { formatRecord, formatTable } from "./table.ts";

/** The dependencies of a run. */
export interface AdminCommandWorld {
  readonly api: AdminApi;
  readonly print: (text: string) => void;
  /** Receives errors, so that `--json` prints only the API's response. */
  readonly printError: (text: string) => void;
  readonly readFile: (path: string) => Promise<string>;
  readonly readStdin: () => Promise<string>;
}

type Options = Readonly<Record<string, unknown>>;

/**
 * Runs one command line of `deno task admin`.
 *
 * @returns the exit code: 0 for success, 1 for an error of the API, 2 for an invalid command,
 * address or key.
 */
export async function runAdminCommand(
  world: AdminCommandWorld,
  args: readonly string[],
): Promise<number> {
  try {
    await createProgram(world).parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof AdminApiError)) throw error;
    world.printError(`${error.message}\n`);
    return error.isMisuse ? 2 : 1;
  }
}

function createProgram(world: AdminCommandWorld): Command {
  const program = new Command("deno task admin")
    .description(
      "Sets up and looks after the service through admin-api. API_URL (or SUPABASE_URL) says where it is, SUPABASE_SECRET_KEY opens it; without them the local stack is meant, and its key is read from DATA_DIR.",
    )
    .option("--json", "print the API's own answer")
    .exitOverride()
    .configureOutput({ writeOut: world.print, writeErr: world.printError });
  for (const docs of resourceDocs) addResource(world, program, docs);
  addTokens(world, program);
  addOutbox(world, program);
  addCredentials(world, program);
  for (const command of program.commands) {
    for (const verb of command.commands) verb.exitOverride().copyInheritedSettings(program);
    command.exitOverride().copyInheritedSettings(program);
  }
  return program;
}

function addResource(world: AdminCommandWorld, program: Command, docs: ResourceDocs): void {
  const { api } = world;
  const { resource, commandLine, fields } = docs;
  const name = resource.path.slice(1);
  const command = program.command(name).description(commandLine.description)
    .addHelpText("after", `\nExample:\n  deno task admin ${commandLine.example}`);

  const created = listOptions(resource.create.schema, fields);
  addOptions(command.command("create").description(`create ${docs.singular}`), created)
    .action(async (options: Options) => {
      const body = await readFields(world, created, options);
      show(world, program, await api.call("POST", name, body));
    });

  const filters = listOptions(resource.list.schema, fields);
  addOptions(command.command("list").description(`list all ${docs.plural}`), filters)
    .action(async (options: Options) => {
      const items = await listAll(api, name, await readFields(world, filters, options));
      showList(world, program, items, commandLine.columns);
    });

  command.command("get <id>").description("show one").action(async (id: string) => {
    show(world, program, await api.call("GET", `${name}/${encodeURIComponent(id)}`));
  });

  if (resource.update !== undefined) {
    const changed = listOptions(resource.update.schema, fields);
    addOptions(command.command("update <id>").description("change what is given"), changed)
      .action(async (id: string, options: Options) => {
        const body = await readFields(world, changed, options);
        show(world, program, await api.call("PATCH", `${name}/${encodeURIComponent(id)}`, body));
      });
  }
  if (resource === templates) addSync(world, program, command);
}

function addOptions(command: Command, options: readonly FieldOption[]): Command {
  for (const { flag, description, isRequired } of options) {
    if (isRequired) command.requiredOption(flag, description);
    else command.option(flag, description);
  }
  return command;
}

function addSync(world: AdminCommandWorld, program: Command, command: Command): void {
  command.command("sync <instanceId>")
    .description("read the official channel's templates and their status")
    .action(async (instanceId: string) => {
      const path = `instances/${encodeURIComponent(instanceId)}/templates/sync`;
      show(world, program, await world.api.call("POST", path, {}));
    });
}

const tokenColumns = ["tokenId", "label", "lastUsedAt", "expiresAt", "revokedAt"];

function addTokens(world: AdminCommandWorld, program: Command): void {
  const { api } = world;
  const pathOf = (instanceId: string): string =>
    `instances/${encodeURIComponent(instanceId)}/tokens`;
  const pathOfOne = (instanceId: string, tokenId: string): string =>
    `${pathOf(instanceId)}/${encodeURIComponent(tokenId)}`;
  const command = program.command("tokens").description("client tokens of an instance")
    .addHelpText("after", '\nExample:\n  deno task admin tokens create <instanceId> --label "CRM"');

  command.command("create <instanceId>").description("make one; it is shown this once")
    .option("--label <text>", "what it is for")
    .option("--expires-at <instant>", "ISO 8601 with offset; without it the token lives on")
    .action(async (instanceId: string, { label, expiresAt }: Options) => {
      show(world, program, await api.call("POST", pathOf(instanceId), { label, expiresAt }));
    });

  command.command("list <instanceId>").description("list them, revoked ones too")
    .action(async (instanceId: string) => {
      showList(world, program, await listAll(api, pathOf(instanceId), {}), tokenColumns);
    });

  const revoke = (instanceId: string, tokenId: string): Promise<AdminAnswer> =>
    api.call("DELETE", pathOfOne(instanceId, tokenId));
  command.command("revoke <instanceId> <tokenId>").description("it opens nothing from now on")
    .action(async (instanceId: string, tokenId: string) => {
      show(world, program, await revoke(instanceId, tokenId));
    });

  const revokeFormer = async (instanceId: string, tokenId: string): Promise<void> => {
    try {
      await revoke(instanceId, tokenId);
    } catch (error) {
      if (!(error instanceof AdminApiError)) throw error;
      throw new AdminApiError(
        `The former token is not revoked and still opens the instance. Once more:\n  deno task admin tokens revoke ${instanceId} ${tokenId}\n${error.message}`,
      );
    }
  };
  command.command("rotate <instanceId> <tokenId>")
    .description("make a token with the same label and expiry, then revoke the old one")
    .option("--keep-old", "leave the old one alive, to revoke it once the new one is in use")
    .action(async (instanceId: string, tokenId: string, { keepOld }: Options) => {
      const { label, expiresAt } = await api.call("GET", pathOfOne(instanceId, tokenId));
      const created = await api.call("POST", pathOf(instanceId), { label, expiresAt });
      // Shows the token first, because the API never returns it again.
      show(world, program, created);
      if (keepOld !== true) await revokeFormer(instanceId, tokenId);
    });
}

const outboxColumns = ["outboxId", "kind", "status", "attempts", "lastError", "runAt"];

function addOutbox(world: AdminCommandWorld, program: Command): void {
  const { api } = world;
  const command = program.command("outbox").description("e-mails and answers that were promised")
    .addHelpText("after", "\nExample:\n  deno task admin outbox list --status dead");
  const filters = listOptions(outboxPageSchema);
  addOptions(command.command("list").description("list them"), filters)
    .action(async (options: Options) => {
      const items = await listAll(api, "outbox", await readFields(world, filters, options));
      showList(world, program, items, outboxColumns);
    });
  command.command("retry <id>").description("try a dead one again").action(async (id: string) => {
    show(world, program, await api.call("POST", `outbox/${encodeURIComponent(id)}/retry`, {}));
  });
}

function addCredentials(world: AdminCommandWorld, program: Command): void {
  const command = program.command("credentials").description("the providers' credentials");
  command.command("reseal")
    .description(
      "seal all of them under the first of CREDENTIALS_KEYS, so that former keys may go; keyId says which key that is",
    )
    .action(async () => {
      show(world, program, await resealAll(world.api));
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
    if (!Array.isArray(page["items"])) throw new AdminApiError(foreignAnswer);
    items.push(...page["items"]);
    cursor = page["nextCursor"];
  } while (typeof cursor === "string");
  return items;
}

function show({ print }: AdminCommandWorld, program: Command, answer: AdminAnswer): void {
  print(`${wantsJson(program) ? JSON.stringify(answer, null, 2) : formatRecord(answer)}\n`);
}

function showList(
  { print }: AdminCommandWorld,
  program: Command,
  items: readonly AdminAnswer[],
  columns: readonly string[],
): void {
  print(
    `${wantsJson(program) ? JSON.stringify({ items }, null, 2) : formatTable(items, columns)}\n`,
  );
}

function wantsJson(program: Command): boolean {
  return program.opts()["json"] === true;
}
