import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { loadCheckpoint } from '../delivery/checkpoint.ts'
import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { useOptions } from '../options/options.ts'
import type { Values } from '../options/row.ts'
import { DATASET, FILE } from '../options/rows/dataset-rows.ts'
import * as imports from '../options/rows/import-rows.ts'
import { JSON_SUMMARY } from '../options/rows/output-rows.ts'
import { continueCommand } from '../report/command-line.ts'
import { folded } from '../report/fold.ts'
import { statusJson, statusLines } from '../report/status.ts'
import { visible } from '../report/visible.ts'
import { lockedBy } from '../store/lock.ts'
import type { CommandModule } from './command.ts'
import { pathsOf } from './import-settings.ts'

const CHECKPOINT = /\.checkpoint\.json$/

const STATUS_ROWS = [
  { ...FILE, help: 'the files that are imported' },
  { ...DATASET, help: 'the dataset that is imported' },
  { ...imports.CHECKPOINT, help: 'the checkpoint that the import was given' },
  { ...JSON_SUMMARY, help: 'print one JSON object per checkpoint' },
] as const

type StatusValues = Values<typeof STATUS_ROWS>

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.argument('[checkpoint...]', 'checkpoint files (default: every *.checkpoint.json in this folder)')
  useOptions(command, STATUS_ROWS, io.env, async ({ values }, named) => exit(await status(named, values, io)))
}

async function status(named: readonly string[], values: StatusValues, io: Io): Promise<ExitCode> {
  const paths = [...named, ...pathsFrom(values)]
  const wanted =
    paths.length > 0 ? paths : (await readdir('.')).filter((name) => CHECKPOINT.test(name)).sort()
  if (wanted.length === 0) {
    throw new PosthaulError('no checkpoint here: no import has started in this folder', {
      code: 'input',
      hint: 'name the input with --file or --dataset, or the checkpoint itself',
    })
  }
  for (const path of wanted) {
    const loaded = await loadCheckpoint(path)
    if (!loaded) {
      throw new PosthaulError(`there is no checkpoint at ${path}: that import has not started`, {
        code: 'input',
        hint: startHint(path, values) ?? 'check the path for a typing error',
      })
    }
    if (loaded.fellBack) {
      const text = `${visible(path)} is damaged; this is the one saved before it`
      io.stderr.write(folded(text, '  ', 'status: '))
    }
    const runs = await lockedBy(`${path}.lock`)
    if (values.json) io.stdout.write(`${JSON.stringify(statusJson(path, loaded.state, runs))}\n`)
    else io.stdout.write(`${statusLines(path, loaded.state, runs).join('\n')}\n`)
  }
  return EXIT.done
}

/** How to start the import whose checkpoint `path` would be, if its input was named and exists. */
function startHint(path: string, values: StatusValues): string | undefined {
  for (const name of ['file', 'dataset'] as const) {
    const inputs = [values[name] ?? []].flat()
    const [input] = inputs
    if (input !== undefined && pathsOf(input).checkpointPath === path && existsSync(input))
      return `${continueCommand(['import', `--${name}`, ...inputs])} starts it; if it has a --checkpoint of its own, name that`
  }
  return undefined
}

function pathsFrom({ file, dataset, checkpoint }: StatusValues): string[] {
  if (checkpoint !== undefined) return [checkpoint]
  // Several files have the checkpoint of the first.
  return [file[0], dataset]
    .filter((input) => input !== undefined)
    .map((input) => pathsOf(input).checkpointPath)
}
