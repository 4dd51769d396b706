import type { Command } from "commander";
import {
  type TemplateIssue,
  unknownAccount,
  validateTemplate,
} from "../../shared/templates/submission/validate_template.ts";
import { toVisibleJson, toVisibleLine } from "../../shared/model/visible_text.ts";
import { type AdminAnswer, type AdminApi, AdminApiError } from "./admin_api.ts";
import {
  isStored,
  nameFile,
  type PlannedPush,
  planPush,
  readStored,
  type StoredTemplateFile,
  type TemplateFile,
  toFile,
  writeFileText,
} from "./template_files.ts";

/** The files of a folder. */
export interface FolderAccess {
  readonly readFile: (path: string) => Promise<string>;
  readonly writeFile: (path: string, text: string) => Promise<void>;
  /** The names of its files. */
  readonly listFolder: (path: string) => Promise<readonly string[]>;
}

/** What the commands need of the program. */
export interface TemplateCommandContext extends FolderAccess {
  readonly api: AdminApi;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly wantsJson: () => boolean;
  /** Reads every page of a collection. */
  readonly listAll: (
    path: string,
    query: Readonly<Record<string, unknown>>,
  ) => Promise<AdminAnswer[]>;
}

interface InstanceOption {
  readonly instance: string;
}

/**
 * Adds `templates validate`, which needs neither the service nor Meta, and `show`, `pull` and `push`, by which
 * templates live as files of a folder.
 */
export function addTemplateCommands(context: TemplateCommandContext, templates: Command): void {
  templates.command("validate <files...>")
    .description("check templates by the official channel's rules; exit 1 where one breaks them")
    .action((files: readonly string[]) => validateFiles(context, files));
  withInstance(templates.command("show <name>"))
    .description("print a template as a file, in every language that it has")
    .action(async (name: string, { instance }: InstanceOption) => {
      const found = (await listStored(context, instance)).filter((one) => one.name === name);
      if (found.length === 0) throw new AdminApiError(`The instance has no template ${name}.`);
      for (const template of found) context.print(writeFileText(toFile(template)));
    });
  withInstance(templates.command("pull <folder>"))
    .description("write the instance's templates into a folder, a file each")
    .action((folder: string, { instance }: InstanceOption) => pull(context, folder, instance));
  withInstance(templates.command("push <folder>"))
    .description("submit the templates of a folder that are new or changed; deletes nothing")
    .option("--dry-run", "show the difference, and submit nothing")
    .action((folder: string, { instance, dryRun }: InstanceOption & { readonly dryRun?: true }) =>
      push(context, folder, { instance, isDryRun: dryRun === true })
    );
}

function withInstance(command: Command): Command {
  return command.requiredOption("--instance <id>", "instance of the official channel");
}

async function listStored(
  { listAll }: TemplateCommandContext,
  instanceId: string,
): Promise<StoredTemplateFile[]> {
  return readStored(await listAll("templates", { instanceId }));
}

async function pull(
  context: TemplateCommandContext,
  folder: string,
  instance: string,
): Promise<void> {
  const { print, readFile, writeFile } = context;
  for (const template of await listStored(context, instance)) {
    const file = toFile(template);
    const path = `${folder}/${nameFile(file)}`;
    const text = writeFileText(file);
    const isKnown = await readFile(path).then((former) => former === text, () => false);
    if (!isKnown) await writeFile(path, text);
    print(`${isKnown ? "unchanged" : "written"} ${toVisibleLine(path)}\n`);
  }
}

const signs = { create: "+", submit: "+", edit: "~", none: "=" } as const;

async function push(
  context: TemplateCommandContext,
  folder: string,
  { instance, isDryRun }: { readonly instance: string; readonly isDryRun: boolean },
): Promise<void> {
  const { print, printError, listFolder, wantsJson } = context;
  const paths = [...await listFolder(folder)].filter((name) => name.endsWith(".json")).sort()
    .map((name) => `${folder}/${name}`);
  const stored = await listStored(context, instance);
  const plan = planPush(await readValidFiles(context, paths, stored), stored);
  if (isDryRun && wantsJson()) {
    const items = plan.map(({ file: { name, language }, action, differences }) => ({
      ...{ name, language, action, differences },
    }));
    return print(`${toVisibleJson({ items }, 2)}\n`);
  }
  let failed = 0;
  for (const step of plan) {
    print(describeStep(step));
    if (isDryRun || step.action === "none") continue;
    try {
      print(`  ${toVisibleLine(await submit(context, step, instance))}\n`);
    } catch (error) {
      if (!(error instanceof AdminApiError)) throw error;
      failed += 1;
      printError(`${error.message}\n`);
    }
  }
  if (failed > 0) throw new AdminApiError(`${failed} of ${plan.length} templates were not taken.`);
}

function describeStep({ file: { name, language }, action, differences }: PlannedPush): string {
  const lines = differences.map((difference) => `    ${difference}\n`);
  return `${signs[action]} ${toVisibleLine(`${name} ${language}`)}\n${lines.join("")}`;
}

/** Creates or edits a template. Gives its status, and its category where that is another one. */
async function submit(
  { api }: TemplateCommandContext,
  { file, action, stored }: PlannedPush,
  instanceId: string,
): Promise<string> {
  const { category, parameterFormat, components } = file;
  const changes = { category: category ?? undefined, parameterFormat, components };
  const path = `templates/${stored?.templateId}`;
  if (action === "submit") await api.call("PATCH", path, changes);
  const answer = action === "create"
    ? await api.call("POST", "templates", { ...file, instanceId, submit: true })
    : action === "submit"
    ? await api.call("POST", `${path}/submit`, { instanceId })
    : await api.call("PATCH", path, changes);
  const changed = answer["categoryChanged"] === true ? `, now ${answer["category"]}` : "";
  return `${answer["providerStatus"]}${changed}`;
}

/**
 * The channel has templates that its rules of today would refuse, and kinds that are not submitted here: a
 * file that says what is there already may break a rule.
 *
 * @throws {AdminApiError} where another file breaks one: nothing is submitted then.
 */
async function readValidFiles(
  context: TemplateCommandContext,
  paths: readonly string[],
  stored: readonly StoredTemplateFile[],
): Promise<TemplateFile[]> {
  const checked = await checkFiles(context, paths);
  const wrong = checked.filter(({ issues, template }) =>
    issues.length > 0 && !isStored(template, stored)
  );
  for (const { file, issues } of wrong) context.printError(describeFile(file, issues));
  if (wrong.length > 0) throw refuse(wrong.length, paths.length);
  return checked.map(({ template }) => toFile(template));
}

interface CheckedFile {
  readonly file: string;
  readonly template: unknown;
  readonly issues: readonly TemplateIssue[];
}

async function checkFiles(
  { readFile }: TemplateCommandContext,
  files: readonly string[],
): Promise<CheckedFile[]> {
  const account = unknownAccount(new Date().toISOString());
  return await Promise.all(files.map(async (file) => {
    const template = await readTemplate(readFile, file);
    return { file, template, issues: validateTemplate(template, account) };
  }));
}

async function validateFiles(
  context: TemplateCommandContext,
  files: readonly string[],
): Promise<void> {
  const { print, wantsJson } = context;
  const items = (await checkFiles(context, files))
    .map(({ file, issues }) => ({ file, valid: issues.length === 0, issues }));
  if (wantsJson()) print(`${toVisibleJson({ items }, 2)}\n`);
  else for (const { file, issues } of items) print(describeFile(file, issues));
  const wrong = items.filter(({ valid }) => !valid).length;
  if (wrong > 0) throw refuse(wrong, items.length);
}

function refuse(wrong: number, count: number): AdminApiError {
  return new AdminApiError(`${wrong} of ${count} templates break the channel's rules.`);
}

function describeFile(file: string, issues: readonly TemplateIssue[]): string {
  if (issues.length === 0) return `${file}: valid\n`;
  const lines = issues.map(({ path, message, rule, code }) =>
    `${
      toVisibleLine(`  ${path}: ${message} (${code === null ? rule : `${rule}, Meta ${code}`})`)
    }\n`
  );
  return `${file}:\n${lines.join("")}`;
}

/** @throws {AdminApiError} for a file that is missing or no JSON. */
async function readTemplate(
  readFile: TemplateCommandContext["readFile"],
  file: string,
): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file);
  } catch {
    throw new AdminApiError(`The file ${file} cannot be read.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new AdminApiError(`The file ${file} is not JSON.`);
  }
}
