import type { ProviderClass, ProviderKind } from "./provider_kind.ts";

/** One channel connection, as the database returns it, with sealed credentials. */
export interface Instance {
  readonly instanceId: string;
  readonly name: string;
  readonly provider: ProviderKind;
  readonly providerClass: ProviderClass;
  readonly sealedProviderConfig: string;
  readonly gatewayInstanceId: string | null;
  readonly connectedPhone: string;
  readonly timeZone: string;
}

/** The fields of an instance that opening its provider requires. */
export type SealedInstance = Pick<Instance, "instanceId" | "provider" | "sealedProviderConfig">;
