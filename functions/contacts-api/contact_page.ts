import type * as z from "zod";
import type { Database } from "../../shared/database/database.ts";
import { readCursor, writeCursor } from "../../shared/http/cursor.ts";
import { type AnsweredPage, readPage } from "../../shared/http/page.ts";
import { changesEndSchema, type ContactListResponse, type listContactsSchema } from "./contract.ts";

type Query = Omit<z.infer<typeof listContactsSchema>, "instanceId">;

/**
 * Reads a page of an instance's contacts. With `updatedSince` a page is of the order of changes, and
 * its cursor another one: the two cannot be mistaken for each other.
 *
 * @throws {AppError} `invalid_request` for an invalid cursor, `operator_not_found`.
 */
export async function listContacts(
  database: Database,
  instanceId: string,
  query: Query,
): Promise<AnsweredPage<ContactListResponse["items"][number]>> {
  if (query.updatedSince === undefined) {
    return await readPage(query, (page) => database.rpc("list_contacts", { instanceId, ...page }));
  }
  const { cursor, ...filters } = query;
  const end = cursor === undefined ? null : readCursor(changesEndSchema, cursor);
  const after = end === null ? null : { createdAt: end.updatedAt, id: end.id };
  const { items, next } = await database.rpc("list_contacts", { instanceId, ...filters, after });
  return {
    items,
    nextCursor: next === null ? null : writeCursor({ updatedAt: next.createdAt, id: next.id }),
  };
}
