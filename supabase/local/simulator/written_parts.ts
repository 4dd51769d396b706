/**
 * What a person may send beside words or in their place: a position, a card, an order. The names and forms
 * are those of the service's records (`receivedParts`), from which every list here follows.
 */
import * as z from "zod";
import {
  type ReceivedPart,
  type ReceivedPartName,
  receivedPartNames,
  receivedPartSchemas,
} from "../../../shared/model/received_parts.ts";

/**
 * A tapped option is a content of its own (`list_choice`, `button_choice`). What is imported was written
 * before.
 */
export type WrittenPartName = Exclude<ReceivedPartName, (typeof notWritten)[number]>;

const notWritten = ["choice", "isImported"] as const;

/** A reaction names the message by the provider's id, which is what a phone knows. */
const reactionSchema = z.object({
  providerMessageId: z.string().min(1),
  /** Null takes the reaction back. */
  emoji: z.string().min(1).max(20).nullable(),
});

/** A part as a person sends it. */
export type WrittenPart<Name extends WrittenPartName> = Name extends "reaction"
  ? Readonly<z.infer<typeof reactionSchema>>
  : ReceivedPart<Name>;

export type WrittenParts = {
  readonly [Name in WrittenPartName]?: WrittenPart<Name> | undefined;
};

export const writtenPartNames = receivedPartNames.filter((name) =>
  !notWritten.some((other) => other === name)
) as readonly WrittenPartName[];

/** The parts of a request, each of which may be left out. */
export const writtenPartsSchema = z.strictObject(
  Object.fromEntries(
    writtenPartNames.map((name) => [
      name,
      (name === "reaction" ? reactionSchema : receivedPartSchemas[name]).optional(),
    ]),
  ),
) as unknown as z.ZodType<WrittenParts>;
