/** Selects the tests that a command line names. */

import { folderOf, type TestLayer, testLayers } from "./test_layers.ts";

/** A layer with the files or folders to run. */
export interface ChosenLayer extends TestLayer {
  readonly paths: readonly string[];
}

/** `unit` and `tests/unit/` are the same layer; `unit/phone_test.ts` is a file of it. */
export function toTestPath(wanted: string): string {
  const path = wanted.replace(/^\.\//, "").replace(/\/$/, "");
  const isWhole = ["tests/", "packages/"].some((folder) => `${path}/`.startsWith(folder));
  return isWhole ? path : `tests/${path}`;
}

/** The layer that a path belongs to. */
export function layerOf(path: string): TestLayer | undefined {
  return testLayers.find((layer) => `${path}/`.startsWith(`${folderOf(layer)}/`));
}

/** The layers of these paths, in the layers' order. Without paths, every layer. */
export function chooseLayers(paths: readonly string[]): ChosenLayer[] {
  return testLayers.flatMap((layer) => {
    const folder = folderOf(layer);
    const wanted = paths.length === 0 ? [folder] : paths.filter((path) => layerOf(path) === layer);
    return wanted.length === 0 ? [] : [{ ...layer, paths: dropCovered(wanted) }];
  });
}

/**
 * The runs that a layer consists of: one for the whole, or one per file where the layer says so.
 *
 * @param listTests the test files of a folder, by their paths.
 */
export async function splitIntoRuns(
  layer: ChosenLayer,
  listTests: (folder: string) => Promise<readonly string[]>,
): Promise<ChosenLayer[]> {
  const { longestFiles } = layer;
  if (longestFiles === undefined) return [layer];
  const listed = await Promise.all(
    layer.paths.map((path) => path.endsWith(".ts") ? [path] : listTests(path)),
  );
  const rank = (path: string): number => {
    const place = longestFiles.findIndex((file) => path.endsWith(`/${file}`));
    return place < 0 ? longestFiles.length : place;
  };
  return listed.flat().toSorted((a, b) => rank(a) - rank(b))
    .map((path) => ({ ...layer, paths: [path] }));
}

/** Drops files whose folder is also chosen; they would run twice. */
function dropCovered(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) =>
    !paths.some((folder) => path.startsWith(`${folder}/`))
  );
}
