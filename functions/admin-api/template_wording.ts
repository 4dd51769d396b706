/** What a person would read in a template: the same before and after the provider has stored it. */
export function hasSameWording(one: readonly unknown[], other: readonly unknown[]): boolean {
  return JSON.stringify(readWording(one)) === JSON.stringify(readWording(other)) &&
    codeMembers.every((member) => {
      const [told, toldByOther] = [findMember(one, member), findMember(other, member)];
      return told === undefined || toldByOther === undefined || told === toldByOther;
    });
}

/** From which the provider writes the words of a code. It need not tell them again. */
const codeMembers = ["add_security_recommendation", "code_expiration_minutes"] as const;

function findMember(components: readonly unknown[], member: string): unknown {
  return components.map((part) => (Object(part) as Readonly<Record<string, unknown>>)[member])
    .find((value) => value !== undefined);
}

const partMembers = ["type", "format", "text"] as const;
const buttonMembers = ["type", "text", "url", "phone_number"] as const;

function readWording(components: readonly unknown[]): unknown[] {
  return components.map((part) => {
    const { buttons } = Object(part) as { readonly buttons?: readonly unknown[] };
    return [pick(part, partMembers), (buttons ?? []).map((button) => pick(button, buttonMembers))];
  }).sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
}

function pick(value: unknown, members: readonly string[]): unknown[] {
  const record = Object(value) as Readonly<Record<string, unknown>>;
  return members.map((member) => {
    const text = record[member] ?? null;
    return member === "type" || member === "format" ? String(text ?? "").toUpperCase() : text;
  });
}

/** Whether two values are the same JSON, whatever the order of their members. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(sortMembers(one)) === JSON.stringify(sortMembers(other));
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, member]) => [name, sortMembers(member)]);
}
