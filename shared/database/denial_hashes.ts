import type { CredentialVault } from "../crypto/credential_vault.ts";
import type { DenialHasher } from "../crypto/denial_hasher.ts";
import { identityKeyOf } from "../model/phone.ts";
import type { Database } from "./database.ts";
import type { IdentityHashes } from "./rpcs/privacy.ts";
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
 * contact on an instance that keeps denials of erased persons, or lets those count at more instances.
 * The call is repeated with them as `denialHashes` in its request. The database has the hashes, never
 * their key, so it cannot compute them itself. Every other call costs nothing more.
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
        if (!asksForHashes(error)) throw error;
        const { instanceIds, identities }: NeededHashes = JSON.parse(error.detail);
        const hasher = await hashers.load();
        const denialHashes = await hashForAll(hasher, instanceIds, [
          ...new Set([...identities, ...listIdentities(request)]),
        ]);
        return await database.rpc(name, { ...request, denialHashes });
      }
    },
    close: () => database.close(),
  };
}

/**
 * What the database compares: the hashes at these instances, more than one where a workspace's people are one,
 * and of which identities it lacks them at least. A call names others, of which it has not come to ask.
 */
interface NeededHashes {
  readonly instanceIds: readonly string[];
  readonly identities: readonly string[];
}

/** Without its detail the error stands: a denial that is compared with no hash would be overlooked. */
function asksForHashes(error: unknown): error is DatabaseError & { readonly detail: string } {
  return error instanceof DatabaseError && error.code === "MI037" && error.detail !== undefined;
}

/** Of each identity the hash at each of the instances, in their order. */
export async function hashForAll(
  hasher: DenialHasher,
  instanceIds: readonly string[],
  identities: readonly string[],
): Promise<IdentityHashes> {
  const hashes = await Promise.all(instanceIds.map((id) => hasher.hash(id, identities)));
  return Object.fromEntries(
    identities.map((identity) => [identity, hashes.flatMap((ofOne) => ofOne[identity] ?? [])]),
  );
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
