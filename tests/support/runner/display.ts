/** Lines of output, and a last line that says how far the run is. */

export interface Display {
  print(line: string): void;
  /** Leaves no line behind. */
  close(): void;
}

export interface DisplayOptions {
  readonly write: (text: string) => void;
  /** What the last line says now. */
  readonly describe: () => string;
  /** Columns of the terminal; undefined where the output is none. */
  readonly columns: number | undefined;
  /** Between two lines where the output is no terminal. */
  readonly intervalMs?: number;
}

const redrawMs = 500;
const eraseLine = "\r\u001b[K";

/** On a terminal the last line is written anew; elsewhere it is printed now and then. */
export function openDisplay(
  { write, describe, columns, intervalMs = 15_000 }: DisplayOptions,
): Display {
  if (columns === undefined) {
    const timer = setInterval(() => write(`${describe()}\n`), intervalMs);
    return { print: (line) => write(`${line}\n`), close: () => clearInterval(timer) };
  }
  const draw = (text: string): void =>
    write(`${eraseLine}${text}${describe().slice(0, columns - 1)}`);
  const timer = setInterval(() => draw(""), redrawMs);
  return {
    print: (line) => draw(`${line}\n`),
    close: () => {
      clearInterval(timer);
      write(eraseLine);
    },
  };
}
