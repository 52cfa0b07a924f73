import type { InputFile } from '../../src/inputs/input-file.ts'

/** A plain file of lines, as it was found. */
export function plainFile(over: Partial<InputFile> = {}): InputFile {
  return {
    path: 'a',
    name: 'a',
    size: 0,
    mtimeMs: 0,
    format: 'ndjson',
    compression: 'none',
    rejects: false,
    delimiter: undefined,
    ...over,
  }
}
