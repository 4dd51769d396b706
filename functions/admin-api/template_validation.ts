import type { Database } from "../../shared/database/database.ts";
import type { KnownAccount } from "../../shared/templates/submission/submitted_template.ts";
import {
  type TemplateIssue,
  unknownAccount,
  validateTemplate,
} from "../../shared/templates/submission/validate_template.ts";

/**
 * What the official channel would refuse in a template, without asking it. With an instance, also what is
 * known here of the templates that its account has under this name.
 *
 * @throws {AppError} `Instance not found`.
 */
export async function checkTemplateOffline(
  database: Database,
  template: Readonly<Record<string, unknown>>,
  instanceId: string | undefined,
): Promise<readonly TemplateIssue[]> {
  const unknown = unknownAccount(new Date().toISOString());
  const { name } = template;
  const account: KnownAccount = instanceId === undefined || typeof name !== "string"
    ? unknown
    : { ...unknown, sameName: (await findByName(database, instanceId, name)).items };
  return validateTemplate(template, account);
}

function findByName(
  database: Database,
  instanceId: string,
  name: string,
): Promise<{ readonly items: KnownAccount["sameName"] }> {
  return database.rpc("find_templates_by_name", { instanceId, name });
}
