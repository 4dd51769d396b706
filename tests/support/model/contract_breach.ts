/** What the models of the contract throw. */

/** A breach of the contract. */
export class ContractBreach extends Error {
  override readonly name = "ContractBreach";
}

/** Throws a {@link ContractBreach} with `what` unless `holds`. */
export function require(holds: boolean, what: string): asserts holds {
  if (!holds) throw new ContractBreach(what);
}
