/** Selects the tests that a command line names. */

import { type TestLayer, testLayers } from "./test_layers.ts";

/** A layer with the files or folders to run. */
export interface ChosenLayer extends TestLayer {
  readonly paths: readonly string[];
}

/** `unit` and `tests/unit/` are the same layer; `unit/phone_test.ts` is a file of it. */
export function toTestPath(wanted: string): string {
  const path = wanted.replace(/^\.\//, "").replace(/\/$/, "");
  return path.startsWith("tests/") ? path : `tests/${path}`;
}

/** The layer that a path below `tests/` belongs to. */
export function layerOf(path: string): TestLayer | undefined {
  return testLayers.find((layer) => layer.name === path.split("/")[1]);
}

/** The layers of these paths, in the layers' order. Without paths, every layer. */
export function chooseLayers(paths: readonly string[]): ChosenLayer[] {
  return testLayers.flatMap((layer) => {
    const folder = `tests/${layer.name}`;
    const wanted = paths.length === 0 ? [folder] : paths.filter((path) => layerOf(path) === layer);
    return wanted.length === 0 ? [] : [{ ...layer, paths: dropCovered(wanted) }];
  });
}

/** Drops files whose folder is also chosen; they would run twice. */
function dropCovered(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) =>
    !paths.some((folder) => path.startsWith(`${folder}/`))
  );
}
