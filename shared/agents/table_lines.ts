/** Tables of Markdown as lines of text, which a phone's width can hold. */

const separatorCell = /^:?-{1,200}:?$/;

/** Each row of a table as one line: `- Plan: Basic; Price: R$ 10`. Other lines stay as they are. */
export function tablesToLines(text: string): string {
  const lines = text.split("\n");
  const written: string[] = [];
  for (let place = 0; place < lines.length; place++) {
    const line = lines[place] ?? "";
    const under = lines[place + 1];
    if (!line.includes("|") || under === undefined || !isSeparator(under)) {
      written.push(line);
      continue;
    }
    const titles = readCells(line);
    place += 2;
    for (; place < lines.length && (lines[place] ?? "").includes("|"); place++) {
      const row = writeRow(titles, readCells(lines[place] ?? ""));
      if (row !== "") written.push(row);
    }
    place -= 1;
  }
  return written.join("\n");
}

function isSeparator(line: string): boolean {
  return line.includes("|") && readCells(line).every((cell) => separatorCell.test(cell));
}

function readCells(line: string): string[] {
  return line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
}

function writeRow(titles: readonly string[], cells: readonly string[]): string {
  const told = cells.flatMap((cell, place) => {
    const title = (titles[place] ?? "").replace(/\*\*|__/g, "");
    if (cell === "") return [];
    return [title === "" ? cell : `${title}: ${cell}`];
  });
  return told.length === 0 ? "" : `- ${told.join("; ")}`;
}
