import type { Database } from "../../shared/database/database.ts";
import type { ExportList, ExportPage, ExportPosition } from "../../shared/database/rpcs/privacy.ts";
import { arrangeAnswer } from "../../shared/model/arrange_answer.ts";
import { describeDefect, type Log } from "../../shared/runtime/log.ts";
import { exportResponseSchema } from "./export_contract.ts";

/** Items of one page: what an export holds in memory, however much there is of the person. */
const pageSize = 500;

/** The lists of an export, in the order of the answer. */
const lists: readonly ExportList[] = ["consentLog", "notes", "transfers", "messages"];

/** Services that exporting requires. */
export interface ExportingServices {
  readonly database: Database;
  readonly log: Log;
}

/**
 * Everything about a person as one JSON object, written while it is read: page by page, no faster than
 * the caller takes it. What fails on the way breaks the answer off, so that no half of it passes for the
 * whole.
 *
 * @throws {AppError} before anything is answered, for a contact that is unknown or erased.
 */
export async function exportContact(
  { database, log }: ExportingServices,
  instanceId: string,
  contactId: string,
): Promise<ReadableStream<Uint8Array>> {
  const target = { instanceId, contactId };
  const head = await database.rpc("export_contact", target);
  const opening = JSON.stringify(arrangeAnswer(exportResponseSchema, {
    success: true,
    exportedAt: new Date().toISOString(),
    ...head,
  }));
  async function* write(): AsyncGenerator<string> {
    try {
      yield opening.slice(0, -1);
      for (const list of lists) {
        yield `,${JSON.stringify(list)}:[`;
        yield* writeItems(database, { ...target, list });
        yield "]";
      }
      yield "}";
    } catch (error) {
      log.error("export_failed", describeDefect(error));
      throw error;
    }
  }
  return ReadableStream.from(write()).pipeThrough(new TextEncoderStream());
}

/** The items of one list, a page at a time. */
async function* writeItems(
  database: Database,
  request: { readonly instanceId: string; readonly contactId: string; readonly list: ExportList },
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
