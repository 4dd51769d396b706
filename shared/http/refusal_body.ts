import { errorDocsUrl } from "../runtime/docs_address.ts";

/** The first members of an error's body. */
interface Refused {
  readonly success: false;
  readonly error: string;
  readonly message: string;
}

/** The body of an error with `docs` after its message: the absolute URL of the code's section. */
export function nameDocs<Body extends Refused>(
  { success, error, message, ...others }: Body,
): Refused & { readonly docs: string } & Omit<Body, keyof Refused> {
  return { success, error, message, docs: errorDocsUrl(error), ...others };
}
