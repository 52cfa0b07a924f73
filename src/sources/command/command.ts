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
    const text = isNamed
      ? '{file} is that of --file, which is not given'
      : 'neither --run nor --count uses the {file} of --file'
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
    ...{ overlapMs: values.overlap, recountsAll: values.recount, clock: systemClock },
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
          if (head.length > MIB || lineEnds(head) >= LINES[options.form]) break
        }
        return firstRecord(head.toString('utf8'), options.form, window!.name)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

/** A record of a table may have line ends in it, and the next row tells where it ends. */
const LINES: Readonly<Record<CommandForm, number>> = { ndjson: 1, csv: 20, tsv: 20 }
const SHOWN = 200

function lineEnds(bytes: Buffer): number {
  return bytes.toString('latin1').split('\n').length - 1
}

async function firstRecord(text: string, form: CommandForm, window: string): Promise<string> {
  const [first = ''] = text.split('\n').filter((line) => line.trim() !== '')
  if (first === '') return `it printed nothing for the newest window, ${window}`
  if (form === 'ndjson') {
    const record = parsedOrNone(first)
    if (isJsonObject(record))
      return `${window} begins with ${first.slice(0, SHOWN)}; members: ${Object.keys(record).join(', ')}`
    throw new PosthaulError(`its first line for ${window} isn't a JSON object: ${first.slice(0, SHOWN)}`, {
      code: 'config',
      hint: 'print one JSON object a line, or say as: csv',
    })
  }
  const { parse } = await import('csv-parse/sync')
  const delimiter = form === 'csv' ? ',' : '\t'
  const [header = [], row = []] = parse(text, {
    ...{ delimiter, to: 2, relax_quotes: true, relax_column_count: true, skip_empty_lines: true },
  }) as string[][]
  const cells = row.join(delimiter).slice(0, SHOWN)
  return `${window} ${cells === '' ? 'has no rows' : `begins with ${cells}`}; columns: ${header.join(', ')}`
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
