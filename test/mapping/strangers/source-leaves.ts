// Readers of source files and events that share no code with the program: what they say is held against what it makes.

/** A value of a record that is no object and no array. */
export interface Leaf {
  /** Names from the top; elements of arrays have the array's path. */
  readonly path: readonly string[]
  /** A string's text, or the number or word as it is written. */
  readonly text: string
  readonly isText: boolean
}

export type SourceRecord = readonly Leaf[]

/**
 * Rows of a table with a header, or with the names that are given. Empty cells are no values, nor is `\N`, which databases
 * write for null.
 */
export function tableRecords(text: string, delimiter: string, names?: readonly string[]): SourceRecord[] {
  const [header, ...rows] = names ? [names, ...cellsOf(text, delimiter)] : cellsOf(text, delimiter)
  return rows.map((cells) =>
    cells.flatMap((cell, i) =>
      cell === '' || cell === '\\N' ? [] : [{ path: [header![i] ?? `#${i}`], text: cell, isText: true }],
    ),
  )
}

/** Cells by RFC 4180. */
function cellsOf(text: string, delimiter: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const plain = text.replace(/^\uFEFF/, '')
  for (let i = 0; i < plain.length; i++) {
    const letter = plain[i]!
    if (quoted) {
      if (letter !== '"') cell += letter
      else if (plain[i + 1] === '"') cell += plain[++i]!
      else quoted = false
    } else if (letter === '"' && cell === '') quoted = true
    else if (letter === delimiter || letter === '\n') {
      row.push(letter === '\n' ? cell.replace(/\r$/, '') : cell)
      cell = ''
      if (letter === '\n') {
        rows.push(row)
        row = []
      }
    } else cell += letter
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows.filter((one) => one.length > 1 || one[0] !== '')
}

/** Values of JSON records, one a line. NaN and infinities are read as words; null and empty strings are no values. */
export function jsonRecords(text: string): SourceRecord[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(jsonLeaves)
}

export function jsonLeaves(text: string): SourceRecord {
  const leaves: Leaf[] = []
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN|[-+.\w]+|[[\]{}:,]/g)
  const all = [...tokens].map(([token]) => token)
  let at = 0
  const value = (path: readonly string[]): void => {
    const token = all[at++]!
    if (token === '{') {
      while (all[at] !== '}') {
        const name = JSON.parse(all[at]!) as string
        at += 2
        value([...path, name])
        if (all[at] === ',') at++
      }
      at++
    } else if (token === '[') {
      while (all[at] !== ']') {
        value(path)
        if (all[at] === ',') at++
      }
      at++
    } else if (token[0] === '"') {
      const string = JSON.parse(token) as string
      if (string !== '') leaves.push({ path, text: string, isText: true })
    } else if (token !== 'null') leaves.push({ path, text: token, isText: false })
  }
  value([])
  return leaves
}
