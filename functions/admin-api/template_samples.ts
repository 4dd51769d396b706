/** The sample files of templates' headers, uploaded for the provider to name them by handle. */
import type { Database } from "../../shared/database/database.ts";
import type { TemplateComponent } from "../../shared/model/template_record.ts";
import { type MediaSource, openFile as checkFile } from "../../shared/media/checked_file.ts";
import { MediaFault } from "../../shared/media/media_fault.ts";
import { extensionOfType, megabyte } from "../../shared/media/media_rules.ts";
import { type MediaStorage, StorageError } from "../../shared/media/storage.ts";
import { AppError } from "../../shared/model/errors.ts";
import { idSchema } from "../../shared/model/request_fields.ts";
import type { SampleFile, TemplateAccount } from "../../shared/providers/template_account.ts";
import { refuseByProvider, refuseUnknown } from "./template_calls.ts";

export interface SampleServices {
  readonly database: Database;
  readonly storage: MediaStorage;
  /** Fetches a file from a public URL. @throws {MediaFault} */
  readonly fetchSample: (url: string) => Promise<Omit<MediaSource, "fileName">>;
}

/** A sample is shown to a reviewer alone, and is held in memory while it is handed over. */
const maxSampleBytes = 16 * megabyte;

/** What a header of each format shows. */
const kindOfFormat: Readonly<Record<string, string>> = {
  IMAGE: "image",
  VIDEO: "video",
  DOCUMENT: "document",
};

/** A template's components, and the instance whose files they may name. */
export interface SampledTemplate {
  readonly instanceId: string;
  readonly components: readonly TemplateComponent[];
}

/**
 * A template's components with each header's `example {mediaUrl | mediaId}` uploaded and replaced by its
 * handle.
 *
 * @throws {AppError} as `checkSamples`, and for a file that the provider refuses.
 */
export async function replaceSamples(
  services: SampleServices,
  account: TemplateAccount,
  template: SampledTemplate & { readonly templateId: string },
): Promise<unknown[]> {
  const { templateId } = template;
  return await Promise.all(template.components.map(async (component, index) => {
    const file = await findSample(services, account, template, index);
    if (file === null) return component;
    const result = await account.upload(file);
    if (result.outcome === "done") {
      return { ...component, example: { header_handle: [result.handle] } };
    }
    throw result.outcome === "refused"
      ? refuseByProvider(result, templateId)
      : refuseUnknown(result, templateId);
  }));
}

/**
 * Reads the samples and lets go of them.
 *
 * @throws {AppError} for a file that cannot be read or is of another kind, and where the configuration names
 * no app.
 */
export async function checkSamples(
  services: SampleServices,
  account: TemplateAccount,
  template: SampledTemplate,
): Promise<void> {
  await Promise.all(
    template.components.map((_, index) => findSample(services, account, template, index)),
  );
}

/** The sample of a component; null where it has none of its own. */
async function findSample(
  services: SampleServices,
  account: TemplateAccount,
  { components, instanceId }: SampledTemplate,
  index: number,
): Promise<SampleFile | null> {
  const component = components[index];
  const example = Object(component?.["example"]) as Readonly<Record<string, unknown>>;
  const { mediaUrl, mediaId } = example;
  const isNamed = mediaUrl !== undefined || mediaId !== undefined;
  if (component?.type !== "HEADER" || !isNamed) return null;
  if (!account.hasApp) throw withoutApp;
  const path = `components.${index}.example`;
  const source = typeof mediaId === "string"
    ? { path: `${path}.mediaId`, ...await openStored(services, instanceId, mediaId, path) }
    : { path: `${path}.mediaUrl`, ...await fetchPublic(services, String(mediaUrl), path) };
  return await readSample(source, String(component["format"]));
}

const withoutApp = new AppError("template_submission_not_available", {
  message: "The instance's providerConfig has no appId, with which a header's sample is uploaded.",
});

interface SampleSource {
  readonly path: string;
  readonly source: MediaSource;
}

async function openStored(
  { database, storage }: SampleServices,
  instanceId: string,
  mediaId: string,
  path: string,
): Promise<{ readonly source: MediaSource }> {
  if (!idSchema.safeParse(mediaId).success) throw refuse(`${path}.mediaId`, "must be a mediaId");
  const file = await database.rpc("get_media", { instanceId, mediaId });
  const body = file.storagePath === null ? null : await openFile(storage, file.storagePath);
  if (body === null) throw refuse(`${path}.mediaId`, "is a file that is gone");
  return {
    source: { body, contentType: file.mimeType, contentLength: file.size, fileName: file.fileName },
  };
}

/** @throws {AppError} `service_unavailable` where the storage is away. */
async function openFile(storage: MediaStorage, path: string): ReturnType<MediaStorage["open"]> {
  try {
    return await storage.open(path);
  } catch (error) {
    const isAway = error instanceof StorageError && error.reason === "unavailable";
    throw isAway ? new AppError("service_unavailable") : error;
  }
}

async function fetchPublic(
  { fetchSample }: SampleServices,
  url: string,
  path: string,
): Promise<{ readonly source: MediaSource }> {
  try {
    return { source: { ...await fetchSample(url), fileName: null } };
  } catch (error) {
    throw error instanceof MediaFault ? refuse(`${path}.mediaUrl`, error.message) : error;
  }
}

async function readSample({ path, source }: SampleSource, format: string): Promise<SampleFile> {
  try {
    const { contentLength } = source;
    if (contentLength !== null && contentLength > maxSampleBytes) throw new MediaFault("too_large");
    const file = await checkFile(source);
    if (file.kind !== kindOfFormat[format]) {
      await file.body.cancel();
      throw refuse(path, `must be a file for a header of the format ${format}`);
    }
    const content = await new Response(file.body).blob();
    return {
      fileName: `sample.${extensionOfType(file.mimeType) ?? "bin"}`,
      mimeType: file.mimeType,
      size: content.size,
      open: () => content.stream(),
    };
  } catch (error) {
    throw error instanceof MediaFault ? refuse(path, error.message) : error;
  }
}

function refuse(path: string, message: string): AppError {
  return new AppError("invalid_request", { issues: [{ path, message }] });
}
