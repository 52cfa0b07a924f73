import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The repository's root, from the sources and from where they are compiled to alike. */
export const ROOT = rootAbove(import.meta.dirname)
export const BENCH = join(ROOT, 'test/bench')
/** The command line as a user has it; built by `npm run build`. */
export const POSTHAUL = join(ROOT, 'bin/posthaul.js')

/** The compiled file of a source of the bench. */
export function compiled(source: string): string {
  return join(BENCH, 'dist/test/bench', source.replace(/\.ts$/, '.js'))
}

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'bin/posthaul.js')) ? folder : rootAbove(dirname(folder))
}
