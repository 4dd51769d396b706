/** The instances of the stack, and the tokens by which the console's panels read them. */
import * as z from "zod";
import { type AdminApi, AdminApiError, openAdminApi } from "../../admin/admin_api.ts";
import { providerKinds } from "../../../shared/model/provider_kind.ts";

const idSchema = z.uuid();
const tokenSchema = z.object({ token: z.string() });
const pageSchema = z.object({
  items: z.array(z.object({
    instanceId: z.uuid(),
    businessInstanceId: z.string().nullable(),
    name: z.string(),
    provider: z.enum(providerKinds),
    gatewayInstanceId: z.string().nullable(),
  })),
  nextCursor: z.string().nullable(),
});

/** What the console is told of an instance. */
export interface ConsoleInstance {
  readonly instanceId: string;
  readonly businessInstanceId: string | null;
  readonly name: string;
  readonly provider: string;
  /** The provider's own id, which the simulator's records have; null where it has none. */
  readonly channelInstance: string | null;
}

export interface ConsoleInstances {
  /** The oldest 1,000. */
  list(): Promise<readonly ConsoleInstance[]>;
  /** A client token of the instance, the same at each call. Null where there is no such instance. */
  openToken(instanceId: string): Promise<string | null>;
}

const mostListed = 1_000;
const tokenDays = 30;
const dayMs = 86_400_000;

/**
 * Reads instances from the admin-api at `origin`, and makes one token of each that the console shows, which
 * expires after 30 days.
 */
export function openInstances(origin: string, secretKey: string): ConsoleInstances {
  const admin = openAdminApi(origin, () => Promise.resolve(secretKey));
  const tokens = new Map<string, Promise<string | null>>();
  return {
    list: async () => {
      const { items } = pageSchema.parse(await admin.call("GET", `instances?limit=${mostListed}`));
      return items.map(({ gatewayInstanceId, ...instance }) => ({
        ...instance,
        channelInstance: gatewayInstanceId,
      }));
    },
    openToken: (instanceId) => {
      if (!idSchema.safeParse(instanceId).success) return Promise.resolve(null);
      const token = tokens.get(instanceId) ?? createToken(admin, instanceId);
      tokens.set(instanceId, token);
      // What has failed is tried again.
      token.then((made) => made ?? tokens.delete(instanceId), () => tokens.delete(instanceId));
      return token;
    },
  };
}

async function createToken(admin: AdminApi, instanceId: string): Promise<string | null> {
  try {
    const made = await admin.call("POST", `instances/${instanceId}/tokens`, {
      label: "Local console",
      expiresAt: new Date(Date.now() + tokenDays * dayMs).toISOString(),
    });
    return tokenSchema.parse(made).token;
  } catch (error) {
    if (error instanceof AdminApiError) return null;
    throw error;
  }
}
