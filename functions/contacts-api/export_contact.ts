import type { Database } from "../../shared/database/database.ts";
import type {
  ExportHead,
  ExportPage,
  ExportPosition,
  PersonContact,
} from "../../shared/database/rpcs/privacy.ts";
import { arrangeAnswer } from "../../shared/model/arrange_answer.ts";
import { AppError } from "../../shared/model/errors.ts";
import { type ExportList, exportLists } from "../../shared/model/export_lists.ts";
import type { PeopleScope } from "../../shared/model/people_scope.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import { exportResponseSchema, otherInstanceSchema } from "./export_contract.ts";

/** Items of one page: what an export holds in memory, however much there is of the person. */
const pageSize = 500;

/** The contact whose data are exported, and its instance. */
export interface ExportTarget {
  readonly instanceId: string;
  readonly contactId: string;
}

/** Services that exporting requires. */
export interface ExportingServices {
  readonly database: Database;
  readonly log: Log;
}

/**
 * Everything about a person as one JSON object, written while it is read: page by page, no faster than
 * the caller takes it. What fails on the way breaks the answer off, so that no half of it passes for the
 * whole. With the scope `workspace` the person's contacts at the other instances follow, each with all that
 * the one has.
 *
 * @throws {AppError} before anything is answered, for a contact that is unknown or erased, and for a
 * workspace whose people scope is `instance`.
 */
export async function exportContact(
  { database, log }: ExportingServices,
  instanceId: string,
  contactId: string,
  scope: PeopleScope = "instance",
): Promise<ReadableStream<Uint8Array>> {
  const target = { instanceId, contactId };
  const others = scope === "workspace"
    ? (await database.rpc("list_person_contacts", target)).contacts
    : null;
  const opening = {
    success: true,
    exportedAt: new Date().toISOString(),
    ...await database.rpc("export_contact", target),
  };
  async function* write(): AsyncGenerator<string> {
    try {
      yield JSON.stringify(arrangeAnswer(exportResponseSchema, opening)).slice(0, -1);
      yield* writeLists(database, target);
      if (others !== null) yield* writeOthers(database, others);
      yield "}";
    } catch (error) {
      log.error("export_failed", describeDefect(error));
      throw error;
    }
  }
  return ReadableStream.from(write()).pipeThrough(new TextEncoderStream());
}

/** The person's contacts at other instances. One that is erased or merged meanwhile is left out. */
async function* writeOthers(
  database: Database,
  others: readonly PersonContact[],
): AsyncGenerator<string> {
  yield ',"otherInstances":[';
  let isFirst = true;
  for (const { instanceId, instanceName, contactId } of others) {
    const target = { instanceId, contactId };
    const head = await readHead(database, target);
    if (head === null) continue;
    const opening = arrangeAnswer(otherInstanceSchema, { instanceId, instanceName, ...head });
    yield (isFirst ? "" : ",") + JSON.stringify(opening).slice(0, -1);
    yield* writeLists(database, target);
    yield "}";
    isFirst = false;
  }
  yield "]";
}

async function readHead(database: Database, target: ExportTarget): Promise<ExportHead | null> {
  try {
    return await database.rpc("export_contact", target);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The lists of one contact, as members that follow others. */
async function* writeLists(database: Database, target: ExportTarget): AsyncGenerator<string> {
  for (const list of exportLists) {
    yield `,${JSON.stringify(list)}:[`;
    yield* writeItems(database, { ...target, list });
    yield "]";
  }
}

/** The items of one list, a page at a time. */
async function* writeItems(
  database: Database,
  request: ExportTarget & { readonly list: ExportList },
): AsyncGenerator<string> {
  const { element } = exportResponseSchema.shape[request.list];
  let isFirst = true;
  let after: ExportPosition | null = null;
  do {
    const { items, next }: ExportPage = await database.rpc("export_contact_page", {
      ...request,
      limit: pageSize,
      after,
    });
    if (items.length > 0) {
      yield (isFirst ? "" : ",") +
        items.map((item) => JSON.stringify(arrangeAnswer(element, item))).join(",");
      isFirst = false;
    }
    after = next;
  } while (after !== null);
}
