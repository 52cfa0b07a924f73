import { readFile } from 'node:fs/promises'
import { PosthaulError } from '../../errors.ts'

/** A file of the built page. */
export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'studio.js': 'text/javascript; charset=utf-8',
  'studio.css': 'text/css; charset=utf-8',
} as const

/** Reads the page into memory, by file name; requests name no files of this machine. Code `unavailable` for no page. */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  // The same place from src/ and from dist/.
  const folder = new URL('../../../dist/web/studio/', import.meta.url)
  const files = new Map<string, PageFile>()
  for (const [name, type] of Object.entries(TYPES)) {
    try {
      files.set(name, { type, bytes: new Uint8Array(await readFile(new URL(name, folder))) })
    } catch (cause) {
      throw new PosthaulError(`the studio's page is not there: ${name}`, {
        code: 'unavailable',
        hint: 'install posthaul again; in its repository: npm run build',
        cause,
      })
    }
  }
  return files
}
