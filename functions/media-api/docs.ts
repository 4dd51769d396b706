import { demoInstanceRef, demoMediaId } from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import {
  linkQuerySchema,
  readMediaSchema,
  uploadMediaSchema,
  uploadResponseSchema,
} from "./contract.ts";

const mediaId = { description: "`mediaId` of the file.", example: demoMediaId };

/** The operations of media-api. */
export const operations: readonly Operation[] = [
  {
    method: "POST",
    path: "/media",
    operationId: "uploadMedia",
    tag: "Media",
    summary: "Upload a file",
    description:
      "Keeps a file, to be sent by its `mediaId` any number of times. Send it as `multipart/form-data` in the field `file`, or its `url` as JSON.\n\n" +
      "Limits (1 MB is 2^20 bytes): images 5 MB (JPEG, PNG; WebP as a sticker), audio 16 MB (AAC, AMR, MP3, M4A, Ogg, WAV), video 16 MB (MP4, 3GP), documents 100 MB (PDF, text, CSV, Word, Excel, PowerPoint). The type is found by the content; one that is declared must be the same. A file that no message names is deleted after 30 days.",
    access: "clientToken",
    body: uploadMediaSchema,
    fileField: "file",
    isIdempotent: true,
    success: { status: 201, description: "The file is kept.", schema: uploadResponseSchema },
    errors: ["media_fetch_failed"],
    fields: {
      url:
        "https:// URL of the file: a public host, no redirects, at most 2,048 characters. The file is fetched within this call.",
      mediaId: "Id of the file: for send-message, and for reading it here.",
      mimeType: "Type of the file, by its content.",
      size: "Size in bytes.",
      sha256: "SHA-256 of the content in lower-case hexadecimal.",
      expiresAt: "When the file is deleted unless a message names it.",
    },
    examples: [{
      name: "by_url",
      summary: "A picture by its URL",
      request: { instanceId: demoInstanceRef, url: "https://cdn.example.com/catalogue.png" },
      response: {
        success: true,
        mediaId: demoMediaId,
        mimeType: "image/png",
        size: 184_320,
        sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        expiresAt: "2026-12-23T13:00:00.000Z",
      },
    }],
  },
  {
    method: "GET",
    path: "/media/:mediaId",
    operationId: "readMedia",
    tag: "Media",
    summary: "Read a file",
    description:
      "Redirects to a signed URL of the file, which works for one hour without a token. Works for files that were received and for uploads.",
    access: "clientToken",
    pathParameters: { mediaId },
    query: readMediaSchema,
    success: { status: 302, description: "The file is at the URL in `Location`." },
    errors: ["media_not_found", "media_pending", "media_failed", "media_expired"],
    examples: [{
      name: "picture",
      summary: "A picture",
      request: { instanceId: demoInstanceRef },
      response: undefined,
    }],
  },
  {
    method: "GET",
    path: "/links/:mediaId/:name?",
    operationId: "followMediaLink",
    ignoresParameters: true,
    tag: "Media",
    summary: "Follow a link to a file",
    description:
      "What a `mediaUrl` of history, records and events leads to. The link's signature is its credential; it works for seven days. Answers the file, or redirects to where it is kept. Pictures, sound, video and PDF may be shown in a browser; everything else is saved.",
    access: "public",
    pathParameters: { mediaId },
    query: linkQuerySchema,
    success: {
      description:
        "The file, or with a `Range` header that part of it (206). Where files are kept in Supabase Storage: 302.",
      mediaType: "image/png",
    },
    errors: [
      ...["invalid_media_link", "media_not_found", "media_pending", "media_failed"] as const,
      ...["media_expired", "service_unavailable"] as const,
    ],
    fields: {
      expires: "When the link ends, in Unix milliseconds.",
      nonce: "Makes each link another one.",
      signature: "HMAC-SHA256 of the file's id, `expires` and `nonce`.",
    },
    examples: [{
      name: "picture",
      summary: "A picture",
      request: { expires: "1764590400000", nonce: "q3Zk1xYb", signature: "bm90LWEtc2lnbmF0dXJl" },
      response: undefined,
    }],
  },
];
