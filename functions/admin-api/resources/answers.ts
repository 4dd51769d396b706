/** The schemas of admin-api's responses, by the fields of their records. */
import * as z from "zod";
import { successField } from "../../../shared/model/response_fields.ts";

/** A record as the members beside `success`. */
export function recordAnswer<Fields extends z.ZodRawShape>(
  fields: Fields,
): z.ZodObject<typeof successField & Fields> {
  return z.object({ ...successField, ...fields });
}

/** A page of a collection. */
export function pageAnswer<Fields extends z.ZodRawShape>(
  fields: Fields,
): z.ZodObject<
  typeof successField & {
    readonly items: z.ZodArray<z.ZodObject<Fields>>;
    readonly nextCursor: z.ZodNullable<z.ZodString>;
  }
> {
  return z.object({
    ...successField,
    items: z.array(z.object(fields)),
    nextCursor: z.string().nullable(),
  });
}
