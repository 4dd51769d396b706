import type { CredentialVault } from "../crypto/credential_vault.ts";
import type { DenialHasher } from "../crypto/denial_hasher.ts";
import { identityKeyOf } from "../model/phone.ts";
import type { Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";
import { DatabaseError } from "./sqlstates.ts";

/** Loads the vault, and with it the code that opens credentials, when it is needed first. */
export type LoadVault = () => Promise<CredentialVault>;

/** The members of requests, at any depth, that name persons. */
const addressMembers: ReadonlySet<string> = new Set([
  ...["phone", "userId", "address", "otherAddresses", "oldAddress", "newAddress"],
]);

/**
 * Gives the database the hashes of a call's identities where it asks for them: where a call creates a
 * contact on an instance that keeps denials of erased persons. The call is repeated with them as
 * `denialHashes` in its request. The database has the hashes, never their key, so it cannot compute
 * them itself. Every other call costs nothing more.
 */
export function supplyDenialHashes(database: Database, loadVault: LoadVault): Database {
  const hashers = new DenialHashers(database, loadVault);
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      try {
        return await database.rpc(name, request);
      } catch (error) {
        const instanceId = (request as { readonly instanceId?: unknown }).instanceId;
        if (!asksForHashes(error) || typeof instanceId !== "string") throw error;
        const hasher = await hashers.load();
        const denialHashes = await hasher.hash(instanceId, listIdentities(request));
        return await database.rpc(name, { ...request, denialHashes });
      }
    },
    close: () => database.close(),
  };
}

function asksForHashes(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "MI037";
}

/** The identity keys of all persons that a request names. */
export function listIdentities(request: unknown): string[] {
  const identities = new Set<string>();
  const visit = (value: unknown, isAddress: boolean): void => {
    if (typeof value === "string") {
      if (isAddress) identities.add(identityKeyOf(value));
    } else if (Array.isArray(value)) {
      for (const element of value) visit(element, isAddress);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) visit(member, addressMembers.has(key));
    }
  };
  visit(request, false);
  return [...identities];
}

/** Opens the key of the hashes; keeps it until it is sealed anew. */
export class DenialHashers {
  #opened: { readonly sealedKey: string; readonly hasher: DenialHasher } | undefined;

  constructor(private readonly database: Database, private readonly loadVault: LoadVault) {}

  /** Makes the key where the project has none yet. */
  async load(): Promise<DenialHasher> {
    const { openDenialHasher, sealNewDenialKey } = await import("../crypto/denial_hasher.ts");
    const vault = await this.loadVault();
    let { sealedKey } = await this.database.rpc("keep_denial_key", { sealedKey: null });
    if (sealedKey === null) {
      ({ sealedKey } = await this.database.rpc("keep_denial_key", {
        sealedKey: await sealNewDenialKey(vault),
      }));
    }
    if (sealedKey === null) throw new Error("the database keeps no key of the denials");
    if (this.#opened?.sealedKey !== sealedKey) {
      this.#opened = { sealedKey, hasher: await openDenialHasher(vault, sealedKey) };
    }
    return this.#opened.hasher;
  }
}
