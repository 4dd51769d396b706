/** The same value with every instant in UTC and to the millisecond, so that offsets do not count. */
export function writeInstantsInUtc<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(
      value,
      (_, member) =>
        typeof member === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[-+]\d\d:\d\d)$/.test(member)
          ? new Date(member).toISOString()
          : member,
    ),
  );
}
