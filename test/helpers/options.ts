import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { type Options, useOptions } from '../../src/options/options.ts'
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
  const command = new Command('test').exitOverride().configureOutput({ writeErr: () => undefined })
  const told: Options<Values<R>>[] = []
  useOptions(command, rows, env, async (options) => void told.push(options))
  const named = config === undefined ? [] : ['--config', await configFile(config)]
  await command.parseAsync([...argv, ...named], { from: 'user' })
  return told[0]!
}

async function configFile(content: unknown): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'posthaul-config-')), 'mine.json')
  await writeFile(path, JSON.stringify(content))
  return path
}
