import { registry } from "../../../shared/providers/registry.ts";
import type { Provider } from "../../../shared/providers/provider.ts";
import { type ProviderKind, providerKinds } from "../../../shared/model/provider_kind.ts";
import type { DocumentedCall } from "../../support/providers/facts.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";

/** One provider with the call that sends `message`. */
export interface ProviderCase extends DocumentedCall {
  readonly kind: ProviderKind;
}

export const providerCases: readonly ProviderCase[] = providerKinds.map((kind) => ({
  kind,
  ...factsOf[kind].call,
}));

/** The provider of a case at this address. */
export function connect(providerCase: ProviderCase, baseUrl: string): Promise<Provider> {
  return registry.get(providerCase.kind).open(
    { ...providerCase.config, baseUrl },
    crypto.randomUUID(),
  );
}
