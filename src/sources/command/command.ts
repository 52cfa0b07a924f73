import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import { givenOptions } from '../../options/given.ts'
import type { Values } from '../../options/row.ts'
import { scratchFolder } from '../../store/ownership.ts'
import { readNamed } from '../../store/read-file.ts'
import { isJsonObject, parsedOrNone } from '../../text/json.ts'
import { MIB } from '../../text/units.ts'
import { windowsFrom } from '../export-options.ts'
import type { Login, VendorWork } from '../vendor-source.ts'
import { windowsOf } from '../window.ts'
import { assertTells, type CommandForm, type CommandOptions, commandOrder, ran } from './command-source.ts'
import { COMMAND_ROWS } from './vendor.ts'

type CommandValues = Values<typeof COMMAND_ROWS>

/** What a command of the user's prints. */
export const commandWork: VendorWork<CommandValues> = {
  async order(values, { env }) {
    const windows = windowsFrom(values, values.window, Date.now())
    return { order: commandOrder(await optionsOf(values, windows, env)) }
  },

  /** The newest window tells whether the command works, and what it prints. */
  async logins({ settings, until }, { env }) {
    if (settings === undefined || until === undefined) return undefined
    const given = { ...camelCased(settings), from: '2000-01-01', out: '-' }
    const values = givenOptions(COMMAND_ROWS, given).values as unknown as CommandValues
    const end = until - (until % values.window)
    const options = await optionsOf(values, windowsOf(end - values.window, end, values.window), env)
    return [tryOf(options)]
  },
}

async function optionsOf(
  values: CommandValues,
  windows: CommandOptions['windows'],
  env: CommandOptions['env'],
): Promise<CommandOptions> {
  const { run, count, file, windowFormat } = values
  const isNamed = [run, count ?? ''].some((text) => text.includes('{file}'))
  if (isNamed !== (file !== undefined)) {
    const text = isNamed ? '{file} is that of --file, which is not given' : '--file is read by nothing'
    throw new PosthaulError(text, {
      code: 'usage',
      hint: `its copy for each window is {file} in --run: --run 'psql -AtX -f {file}' --file query.sql`,
    })
  }
  if (windowFormat !== undefined) assertTells(windowFormat, windows)
  const query =
    file === undefined
      ? undefined
      : await readNamed(file, `there is no file ${file}`, 'check the path of --file')
  return {
    ...{ run, count, query, windows, windowFormat, env, form: values.as, windowMs: values.window },
    ...{ overlapMs: values.overlap, clock: systemClock },
  }
}

/** Reads until a first record has come, and ends the command then. */
function tryOf(options: CommandOptions): Login {
  const [window] = options.windows
  return {
    name: 'the command of source: command',
    origin: 'the command',
    works: 'works',
    async ask(signal) {
      const folder = await scratchFolder('posthaul-command-')
      try {
        const scratch = (name: string) => join(folder, name)
        let head = Buffer.alloc(0)
        for await (const chunk of ran(options.run, options, window!, { signal, scratch })) {
          head = Buffer.concat([head, chunk])
          if (head.length > MIB || /\S[^\n]*\n/.test(head.toString('latin1'))) break
        }
        return firstLine(head.toString('utf8'), options.form, window!.name)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

const SHOWN = 200

/** The first line that was printed: a record, or the header of a table. */
function firstLine(text: string, form: CommandForm, window: string): string {
  const first = text.split('\n').find((line) => line.trim() !== '')
  if (first === undefined) return `it printed nothing for the newest window, ${window}`
  if (form !== 'ndjson' || isJsonObject(parsedOrNone(first)))
    return `${window} begins with ${first.slice(0, SHOWN)}`
  throw new PosthaulError(`its first line for ${window} is no JSON object: ${first.slice(0, SHOWN)}`, {
    code: 'config',
    hint: 'print one JSON object a line, or say as: csv',
  })
}

function camelCased(settings: Readonly<Record<string, unknown>>): Record<string, never> {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([name, value]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as Record<string, never>
}
