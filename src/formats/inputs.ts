import { statSync } from 'node:fs'
export interface InputFile {
  readonly path: string
  readonly name: string
  readonly size: number
  readonly mtimeMs: number
  readonly format: 'ndjson' | 'json' | 'csv' | 'tsv'
  readonly compression: 'none' | 'gzip'
  readonly rejects: boolean
}
export async function listInputs(paths: readonly string[]): Promise<InputFile[]> {
  return paths.map((path) => ({
    path,
    name: path,
    size: statSync(path).size,
    mtimeMs: statSync(path).mtimeMs,
    format: 'ndjson',
    compression: 'none',
    rejects: false,
  }))
}
