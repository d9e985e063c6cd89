// Names of recorded quantities as people type them.

// Tables spell tilt.q1 what expressions spell tilt.q[1]; both are understood.
export function columnSpelling(name: string): string {
  return name.replace(/\.([qva])\[(0|[1-9]\d*)\]$/, '.$1$2');
}

// Fewest insertions, deletions, replacements and swaps of neighbours that make a into b.
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    [before, last, row] = [last, row, [i]];
    for (let j = 1; j <= b.length; ++j) {
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
  }
  return row[b.length]!;
}

// The known name nearest to `word`, or null when none is close enough to be meant: one edit for every
// three letters.
export function nearestName(word: string, known: string[]): string | null {
  if (word.length > 100) return null;
  let best: string | null = null;
  let least = Infinity;
  for (const name of known.slice(0, 20000)) {
    if (name.length > 100) continue;
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance < least && distance <= Math.floor((Math.max(word.length, name.length) + 1) / 3)) [best, least] = [name, distance];
  }
  return best;
}
