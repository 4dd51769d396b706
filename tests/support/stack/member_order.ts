/** The order of an answer's members, by the document's schema and not by the code that writes it. */

interface DescribedValue {
  readonly $ref?: string;
  readonly allOf?: readonly DescribedValue[];
  readonly properties?: Readonly<Record<string, DescribedValue>>;
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
  readonly items?: DescribedValue;
  readonly anyOf?: readonly DescribedValue[];
  readonly oneOf?: readonly DescribedValue[];
  readonly const?: unknown;
}

/**
 * Every object of the answer whose members stand in another order than the schema's.
 *
 * @param root the document in which the schema's references lead to a place.
 */
export function listOrderFaults(
  schema: object,
  answer: unknown,
  path = "answer",
  root: object = schema,
): string[] {
  const described = chooseForm(schema, answer, root);
  if (Array.isArray(answer)) {
    return answer.flatMap((item, index) =>
      listOrderFaults(described.items ?? {}, item, `${path}.${index}`, root)
    );
  }
  if (!isObject(answer)) return [];
  const { properties = {}, additionalProperties } = described;
  const given = Object.keys(answer).filter((name) => Object.hasOwn(properties, name));
  const documented = Object.keys(properties).filter((name) => Object.hasOwn(answer, name));
  const isOrdered = given.every((name, index) => name === documented[index]);
  const further = isObject(additionalProperties) ? additionalProperties : {};
  return [
    ...(isOrdered ? [] : [`${path}: ${given.join(", ")}`]),
    ...Object.keys(answer).flatMap((name) =>
      listOrderFaults(
        Object.hasOwn(properties, name) ? properties[name] ?? {} : further,
        answer[name],
        `${path}.${name}`,
        root,
      )
    ),
  ];
}

/** The variant of a union that an object is: it has the constants and the required members. */
function chooseForm(schema: DescribedValue, answer: unknown, root: object): DescribedValue {
  const described = resolve(schema, root);
  const forms = described.oneOf ?? described.anyOf;
  if (forms === undefined) return described;
  const resolved = forms.map((form) => resolve(form, root));
  return resolved.find(({ properties = {}, required = [] }) =>
    isObject(answer) && required.every((name) => name in answer) &&
    Object.entries(properties).every(([name, property]) =>
      property.const === undefined || property.const === answer[name]
    )
  ) ?? resolved.find(({ items }) => items !== undefined && Array.isArray(answer)) ?? {};
}

/** A schema without references and `allOf`, whose members come first. */
function resolve(schema: DescribedValue, root: object): DescribedValue {
  const { $ref, allOf = [], ...own } = schema;
  // deno-lint-ignore no-explicit-any -- any part of the document
  let found: any = $ref === undefined ? {} : root;
  for (const name of $ref?.slice(2).split("/") ?? []) {
    found = found[name.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  const parts = [...($ref === undefined ? [] : [found]), ...allOf].map((part) =>
    resolve(part, root)
  );
  const properties = Object.assign({}, ...[...parts, own].map((part) => part.properties));
  return Object.assign({}, ...parts, own, { properties });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
