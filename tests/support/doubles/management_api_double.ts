/** A double of the part of the platform's Management API that a deployment uses. */

import { dirname, join } from "node:path";
import { startTestServer } from "./test_server.ts";

/** The upload of one function: its metadata, and its files by path. */
export interface UploadedFunction {
  readonly metadata: {
    readonly entrypoint_path: string;
    readonly import_map_path: string;
    readonly verify_jwt: boolean;
  };
  readonly files: ReadonlyMap<string, string>;
}

export interface ManagementApiDouble extends AsyncDisposable {
  /** Environment that points the CLI at the double. */
  readonly environment: Readonly<Record<string, string>>;
  readonly uploads: ReadonlyMap<string, UploadedFunction>;
  /** Names of functions that were made active. */
  readonly active: readonly string[];
  /** Tokens that were shown. */
  readonly tokens: ReadonlySet<string>;
}

/** The project's publishable key. */
export const publicKey = "sb_publishable_of_the_double";

/** Starts the double. @param folder keeps the profile that names its address. */
export async function startManagementApi(folder: string): Promise<ManagementApiDouble> {
  const uploads = new Map<string, UploadedFunction>();
  const active: string[] = [];
  const tokens = new Set<string>();
  const server = startTestServer(
    async (request) => {
      tokens.add(request.headers.get("authorization") ?? "");
      const { pathname, searchParams } = new URL(request.url);
      if (pathname.endsWith("/functions/deploy")) {
        const slug = searchParams.get("slug") ?? "";
        uploads.set(slug, await readUpload(await request.formData()));
        return Response.json(describeFunction(slug), { status: 201 });
      }
      if (pathname.endsWith("/functions") && request.method === "PUT") {
        const functions: { slug: string }[] = await request.json();
        active.push(...functions.map(({ slug }) => slug));
        return Response.json({ functions: [] });
      }
      await request.body?.cancel();
      if (pathname.endsWith("/api-keys")) {
        return Response.json([{
          id: "k",
          name: "default",
          type: "publishable",
          api_key: publicKey,
        }]);
      }
      if (pathname.endsWith("/functions")) return Response.json([]);
      return Response.json({ message: "not found" }, { status: 404 });
    },
  );
  const origin = server.origin;
  const profile = join(folder, "profile.yaml");
  const urls = ["api_url", "dashboard_url", "docs_url"].map((name) => `${name}: ${origin}`);
  await Deno.writeTextFile(
    profile,
    ["name: double", ...urls, "project_host: 127.0.0.1", ""].join("\n"),
  );
  return {
    environment: { SUPABASE_PROFILE: profile },
    uploads,
    active,
    tokens,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function readUpload(form: FormData): Promise<UploadedFunction> {
  const metadata = form.get("metadata");
  const text = typeof metadata === "string" ? metadata : await metadata?.text() ?? "{}";
  const files = new Map<string, string>();
  for (const file of form.getAll("file")) {
    if (typeof file !== "string") files.set(file.name, await file.text());
  }
  return { metadata: JSON.parse(text), files };
}

/** A function as the platform tells it: the members that its CLI reads. */
interface DeployedFunction {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly status: "ACTIVE";
  readonly version: number;
  readonly verify_jwt: boolean;
  readonly created_at: number;
  readonly updated_at: number;
  readonly import_map: boolean;
  readonly ezbr_sha256: string;
  readonly entrypoint_path: string;
  readonly import_map_path: string;
}

function describeFunction(slug: string): DeployedFunction {
  return {
    ...{ id: slug, slug, name: slug, status: "ACTIVE", version: 1, verify_jwt: false },
    ...{ created_at: 1, updated_at: 1, import_map: true, ezbr_sha256: "0".repeat(64) },
    ...{ entrypoint_path: "functions", import_map_path: "import_map.json" },
  };
}

/** Writes an uploaded function's files into an empty folder, as the platform unpacks them. */
export async function rebuildUpload(upload: UploadedFunction, folder: string): Promise<void> {
  for (const [path, text] of upload.files) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
}
