/** How a provider's events tell what a person sends beside words or in their place. */
import type { SimulatedReply } from "./records.ts";
import {
  type WrittenPart,
  type WrittenPartName,
  writtenPartNames,
  type WrittenParts,
} from "./written_parts.ts";

/** Members of a provider's event. */
export type WireMembers = Readonly<Record<string, unknown>>;

/** What a part stands beside: nothing, for it is a message by itself; any content; or a file. */
type Needs = "nothing" | "content" | "file";

export interface PartWriter<Name extends WrittenPartName> {
  readonly needs: Needs;
  /** Which of such parts the provider tells, where it is not all of them. */
  readonly tells?: (part: WrittenPart<Name>) => boolean;
  write(part: WrittenPart<Name>, reply: SimulatedReply): WireMembers;
}

/** How a provider tells each part: null where it has no such kind. */
export type PartWriters = {
  readonly [Name in WrittenPartName]: PartWriter<Name> | null;
};

type Write<Name extends WrittenPartName> = PartWriter<Name>["write"];

/** A part that is a message by itself. */
export function alone<Name extends WrittenPartName>(
  write: Write<Name>,
  tells: PartWriter<Name>["tells"] = () => true,
): PartWriter<Name> {
  return { needs: "nothing", tells, write };
}

/** A part that stands beside what was said. */
export function beside<Name extends WrittenPartName>(write: Write<Name>): PartWriter<Name> {
  return { needs: "content", write };
}

/** A part that says how a file is shown. */
export function besideFile<Name extends WrittenPartName>(write: Write<Name>): PartWriter<Name> {
  return { needs: "file", write };
}

/** The members of an event that tell the parts of a message, in those that tell its content. */
export function addParts(
  members: WireMembers,
  writers: PartWriters,
  reply: SimulatedReply,
): WireMembers {
  return listParts(reply.parts).reduce((all, [name, part]) => {
    const writer = writers[name] as PartWriter<typeof name> | null;
    return writer === null ? all : mergeMembers(all, writer.write(part as never, reply));
  }, members);
}

/** Why these parts make no message of a provider, with the path of the one at fault; null for none. */
export function findPartFlaw(
  writers: PartWriters,
  { parts, content }: Pick<SimulatedReply, "parts" | "content">,
): { readonly path: string; readonly message: string } | null {
  const given = listParts(parts);
  const foreign = given.find(([name, part]) => {
    const writer = writers[name];
    return writer === null || writer.tells?.(part as never) === false;
  });
  if (foreign !== undefined) {
    return { path: `parts.${foreign[0]}`, message: "is no kind that this provider tells" };
  }
  const isSaid = content.messageType !== "none" ||
    given.some(([name]) => writers[name]?.needs === "nothing");
  if (!isSaid) return { path: "content", message: "is required beside these parts" };
  const homeless = given.find(([name]) => writers[name]?.needs === "file");
  return homeless === undefined || "mediaUrl" in content
    ? null
    : { path: "content", message: `must be a file beside ${homeless[0]}` };
}

function listParts(
  parts: WrittenParts = {},
): readonly (readonly [WrittenPartName, NonNullable<WrittenParts[WrittenPartName]>])[] {
  return writtenPartNames.flatMap((name) => {
    const part = parts[name];
    return part === undefined ? [] : [[name, part] as const];
  });
}

/** The members of both, those of objects merged. */
export function mergeMembers(one: WireMembers, other: WireMembers): WireMembers {
  const merged: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const former = merged[name];
    merged[name] = isObject(former) && isObject(value) ? mergeMembers(former, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is WireMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members that are there. */
export function given(members: WireMembers): WireMembers {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== ""),
  );
}

/** An amount of the currency's unit as the provider counts it: in `parts` of the unit. */
export function countParts(amount: string | undefined, parts: number): number | undefined {
  return amount === undefined ? undefined : Math.round(Number(amount) * parts);
}

/** An instant as Unix milliseconds. */
export function toMs(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Date.parse(instant);
}

/** An instant as Unix seconds. */
export function toUnixSeconds(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Math.floor(Date.parse(instant) / 1_000);
}
