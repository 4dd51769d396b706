/**
 * A machine of its own for commands that change the whole system: a copy of this machine's files on
 * which its users, programs and settings are changed, and which is gone when it ends. Linux, as root.
 */

export interface FreshMachine extends AsyncDisposable {
  /** Runs commands of bash as root, and ends at the first that fails. @returns what they print. */
  run(commands: string): Promise<string>;
  /** Starts a program as one of the machine's users. It ends with the machine. */
  start(program: MachineProgram): StartedProgram;
  /** Where this machine finds one of its files. */
  locate(path: string): string;
}

export interface MachineProgram {
  readonly user: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

export interface StartedProgram {
  /** Sends SIGTERM to the program itself, as systemd does to a unit's main process. */
  terminate(): Promise<void>;
  /** Resolves when it has ended. */
  readonly ended: Promise<{ readonly code: number; readonly output: string }>;
}

/**
 * The files are a layer over those of this machine; the processes see no others. What is preloaded here,
 * such as a library that moves the clock, is not in that layer where it comes from a mount.
 */
const setUp = `
mount -t tmpfs machine "$1"
mkdir "$1/changes" "$1/work" "$1/root"
mount -t overlay machine -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount -t tmpfs tmp "$1/root/tmp"
mount -t tmpfs run "$1/root/run"
chmod 1777 "$1/root/tmp"
cat /etc/resolv.conf > "$1/root/etc/resolv.conf"
cat /etc/hosts > "$1/root/etc/hosts"
if [ -s /etc/ld.so.preload ]; then
  for file in /etc/ld.so.preload $(cat /etc/ld.so.preload); do
    [ -e "$1/root$file" ] || install -D "$file" "$1/root$file"
  done
fi
`;

/** A machine whose test was killed ends by itself. */
const longestSeconds = 1_800;

/** What programs need to reach the package registries from here. */
const passed =
  /^(?:https?_proxy|no_proxy|DENO_CERT|DENO_TLS_CA_STORE|NODE_EXTRA_CA_CERTS|SSL_CERT_.*|npm_config_(?:registry|cafile))$/i;

/** Why there can be no such machine here; null where there can. */
export async function findObstacle(): Promise<string | null> {
  if (Deno.build.os !== "linux") return "only Linux has layers of files";
  if (Deno.uid() !== 0) return "only root makes a Unix user";
  const folder = await Deno.makeTempDir({ prefix: "messaging-machine-" });
  try {
    const { success } = await unshare(`set -eu${setUp}chroot "$1/root" true`, folder).output();
    return success ? null : "this system does not let root mount a layer of files";
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Starts a machine. Disposing ends everything that runs on it. */
export async function startFreshMachine(): Promise<FreshMachine> {
  const folder = await Deno.makeTempDir({ prefix: "messaging-machine-" });
  const holder = unshare(`set -eu${setUp}echo ready; exec sleep ${longestSeconds}`, folder).spawn();
  const reader = holder.stdout.getReader();
  // Its only output says that it is set up.
  const { done } = await reader.read();
  if (done) throw new Error("the machine did not start");
  const first = (await Deno.readTextFile(`/proc/${holder.pid}/task/${holder.pid}/children`)).trim();
  const environment = Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => passed.test(name)),
  );
  const enter = (args: readonly string[], more: Readonly<Record<string, string>>): Deno.Command =>
    new Deno.Command("nsenter", {
      args: ["--target", first, "--mount", "--pid", "chroot", `${folder}/root`, ...args],
      clearEnv: true,
      env: { PATH: systemPath, HOME: "/root", LANG: "C.UTF-8", ...environment, ...more },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  const run: FreshMachine["run"] = async (commands) => {
    const { success, stdout, stderr } = await enter(["bash", "-euc", commands], {}).output();
    const [printed, complaints] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    if (!success) throw new Error(`${commands}\n${printed}${complaints}`);
    return printed ?? "";
  };
  return {
    run,
    start: ({ user, folder: workingFolder, environment: own, args }) => {
      const pidFile = `/tmp/${crypto.randomUUID()}.pid`;
      const script = `echo $$ > ${pidFile}; cd ${workingFolder}; exec "$@"`;
      const shell = ["runuser", "--user", user, "--", "sh", "-euc", script, "sh"];
      const child = enter([...shell, ...args], own).spawn();
      return {
        terminate: async () => {
          await run(`kill -TERM "$(cat ${pidFile})"`);
        },
        ended: readEnd(child),
      };
    },
    locate: (path) => `/proc/${first}/root${folder}/root${path}`,
    [Symbol.asyncDispose]: async () => {
      holder.kill("SIGKILL");
      await holder.status;
      await reader.cancel();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function readEnd(
  child: Deno.ChildProcess,
): Promise<{ readonly code: number; readonly output: string }> {
  const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
  const [{ code }, ...output] = await Promise.all([child.status, ...texts]);
  return { code, output: output.join("\n") };
}

const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Runs a script in mounts and processes of its own, all of which end with it. */
function unshare(script: string, folder: string): Deno.Command {
  return new Deno.Command("unshare", {
    args: [
      ...["--mount", "--pid", "--fork", "--kill-child"],
      ...["sh", "-c", script, "sh", folder],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  });
}
