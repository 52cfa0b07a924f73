import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Options, readOptions } from '../../src/options/options.ts'
import type { Row, Values } from '../../src/options/row.ts'

export interface Given {
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What the config file says; the rows must have `--config` then. */
  readonly config?: unknown
}

/** What a command with these rows is told. */
export async function optionsOf<const R extends readonly Row[]>(
  rows: R,
  { argv = [], env = {}, config }: Given = {},
): Promise<Options<Values<R>>> {
  const named = config === undefined ? [] : ['--config', await configFile(config)]
  return readOptions(rows, [...argv, ...named], env)
}

async function configFile(content: unknown): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'posthaul-config-')), 'mine.json')
  await writeFile(path, JSON.stringify(content))
  return path
}
