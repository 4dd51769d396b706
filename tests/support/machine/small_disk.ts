/** A disk of a few megabytes, in mounts of its own, that is gone when its holder ends. Linux, as root. */

import { findServerUser } from "../../../supabase/local/server_user.ts";

export interface SmallDisk extends AsyncDisposable {
  /** Where every process of this user and of root finds it. */
  readonly path: string;
  /** Takes all that is left of it. */
  fill(): Promise<void>;
  /** Gives back what `fill` has taken. */
  empty(): Promise<void>;
}

/** Others see no such mount. The holder belongs to the user of Postgres, who may enter it then. */
const mount = `
mount -t tmpfs -o "size=$2,mode=777" small "$1"
echo ready
exec setpriv --reuid "$3" --regid "$4" --clear-groups sleep 1800
`;

/** Why there can be no such disk here; null where there can. */
export async function findDiskObstacle(): Promise<string | null> {
  if (Deno.build.os !== "linux") return "only Linux has mounts of a process";
  if (Deno.uid() !== 0) return "only root mounts a disk";
  try {
    await using _disk = await mountSmallDisk(1);
    return null;
  } catch {
    return "this system does not let root mount a disk";
  }
}

/** Mounts an empty disk. Disposing takes it away, whatever is on it. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  const folder = await Deno.makeTempDir({ prefix: "messaging-disk-" });
  const { uid = 0, gid = 0 } = await findServerUser(folder) ?? {};
  const holder = new Deno.Command("unshare", {
    args: [
      ...["--mount", "sh", "-euc", mount, "sh"],
      ...[folder, `${megabytes}m`, `${uid}`, `${gid}`],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = holder.stdout.getReader();
  const { done } = await reader.read();
  await reader.cancel();
  if (done) {
    await holder.status;
    await Deno.remove(folder);
    throw new Error("the disk could not be mounted");
  }
  const path = `/proc/${holder.pid}/root${folder}`;
  const filler = `${path}/filler`;
  return {
    path,
    fill: async () => {
      using file = await Deno.open(filler, { append: true, create: true });
      for (let size = 1_048_576; size >= 1;) {
        try {
          await file.write(new Uint8Array(size));
        } catch {
          size = Math.floor(size / 2);
        }
      }
    },
    empty: () => Deno.remove(filler),
    [Symbol.asyncDispose]: async () => {
      holder.kill("SIGKILL");
      await holder.status;
      await Deno.remove(folder);
    },
  };
}
