/**
 * Everything the rest of the system knows about a provider. Each provider's folder exports one
 * descriptor, which has a part for each role; `registry.ts` lists them. A function imports the list of
 * its role alone, so that its upload and its cold start hold nothing of the other roles.
 */
import {
  type AdministeredProvider,
  type AdministrationDefinition,
  describeAdministration,
} from "./administration.ts";
import { describeSending, type SendingDefinition, type SendingProvider } from "./sending.ts";
import type { ProviderConfig } from "./stored_config.ts";
import {
  describeReceiving,
  type ReceivingDefinition,
  type ReceivingProvider,
} from "./webhooks/receiving.ts";

/** What a provider's folder declares, in terms of its own configuration type. */
export interface ProviderDefinition<Kind extends string, Config extends ProviderConfig>
  extends
    SendingDefinition<Kind, Config>,
    AdministrationDefinition<Kind, Config>,
    ReceivingDefinition<Kind, Config> {}

/** A provider in all its roles, for callers that do not know its configuration type. */
export interface ProviderDescriptor<Kind extends string = string>
  extends SendingProvider<Kind>, AdministeredProvider<Kind>, ReceivingProvider<Kind> {}

/** Converts a provider folder's declaration into the descriptor that the registry lists. */
export function describeProvider<Kind extends string, Config extends ProviderConfig>(
  definition: ProviderDefinition<Kind, Config>,
): ProviderDescriptor<Kind> {
  return {
    ...describeSending(definition),
    ...describeAdministration(definition),
    ...describeReceiving(definition),
  };
}
