/** The order of an answer's members, by the document's schema and not by the code that writes it. */

interface DescribedValue {
  readonly properties?: Readonly<Record<string, DescribedValue>>;
  readonly required?: readonly string[];
  readonly items?: DescribedValue;
  readonly anyOf?: readonly DescribedValue[];
  readonly oneOf?: readonly DescribedValue[];
  readonly const?: unknown;
}

/** Every object of the answer whose members stand in another order than the schema's. */
export function listOrderFaults(schema: object, answer: unknown, path = "answer"): string[] {
  const described: DescribedValue = chooseForm(schema, answer);
  if (Array.isArray(answer)) {
    return answer.flatMap((item, index) =>
      listOrderFaults(described.items ?? {}, item, `${path}.${index}`)
    );
  }
  if (!isObject(answer)) return [];
  const { properties = {} } = described;
  const given = Object.keys(answer).filter((name) => name in properties);
  const documented = Object.keys(properties).filter((name) => name in answer);
  const isOrdered = given.every((name, index) => name === documented[index]);
  return [
    ...(isOrdered ? [] : [`${path}: ${given.join(", ")}`]),
    ...given.flatMap((name) =>
      listOrderFaults(properties[name] ?? {}, answer[name], `${path}.${name}`)
    ),
  ];
}

/** The variant of a union that an object is: it has the constants and the required members. */
function chooseForm(schema: DescribedValue, answer: unknown): DescribedValue {
  const forms = schema.oneOf ?? schema.anyOf;
  if (forms === undefined) return schema;
  return forms.find(({ properties = {}, required = [] }) =>
    isObject(answer) && required.every((name) => name in answer) &&
    Object.entries(properties).every(([name, property]) =>
      property.const === undefined || property.const === answer[name]
    )
  ) ?? forms.find(({ items }) => items !== undefined && Array.isArray(answer)) ?? {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
