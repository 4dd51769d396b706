import type { InteractiveRendering } from "./message_fit.ts";
import type { ReadReceipts } from "./read_receipts.ts";
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
  /** How messages with options or a link go out where the call does not say. */
  readonly interactiveRendering: InteractiveRendering;
  readonly readReceipts: ReadReceipts;
}

/** The fields of an instance that opening its provider requires. */
export type SealedInstance = Pick<Instance, "instanceId" | "provider" | "sealedProviderConfig">;
