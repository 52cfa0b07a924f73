import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { ARRIVAL_WAIT, DRAIN, SINGLE_WRITER } from '../options/import-rows.ts'
import { configName, flagOf, isTrueOrFalse, type Row } from '../options/row.ts'
import { readText } from '../options/values.ts'

/** What a setting of a migration file holds that stands for an option of a command: the text that the option takes. */
type Setting = string | boolean | readonly string[]

/** Settings by name, undefined where the file says nothing. */
export type Settings = Readonly<Record<string, Setting | undefined>>

/**
 * The settings that stand for the options of some rows: the same names with underscores, the same values, the same help.
 * They come out as the texts that the command line takes. `Known`: those that are read one by one.
 */
export function settingsOf<Known extends Settings = Readonly<Record<never, never>>>(...rows: readonly Row[]) {
  type Schemas = { [Name in keyof Known]: z.ZodOptional<z.ZodType<Known[Name]>> }
  return Object.fromEntries(rows.map((row) => [settingName(row), settingOf(row)])) as unknown as Schemas
}

/** The setting of one row. */
export function settingOf(row: Row): z.ZodOptional<z.ZodType<Setting>> {
  return schemaOf(row).optional().describe(row.help)
}

/** The words of a command line for settings by name. Those that no word sets are left to `variablesFor`. */
export function wordsFor(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (VARIABLES.has(name)) return []
    const flag = `--${name.replaceAll('_', '-')}`
    if (value === undefined || value === false) return []
    if (value === true) return [flag]
    return typeof value === 'string' ? [flag, value] : value.length === 0 ? [] : [flag, ...value]
  })
}

/** The environment for those of the settings that no word of a command line sets. */
export function variablesFor(settings: Settings): Record<string, string> {
  const given = Object.entries(settings).filter(([name, value]) => VARIABLES.has(name) && value)
  return Object.fromEntries(given.map(([name, value]) => [VARIABLES.get(name)!, String(value)]))
}

/** `requests_per_hour` of `--requests-per-hour <n>`; `single_writer` of `import.singleWriter`, which has no flag. */
function settingName(row: Row): string {
  if (row.flag !== undefined) return flagOf(row).slice(2).replaceAll('-', '_')
  return configName(row).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The variables of the settings that have no flag, by the names of the settings. */
const VARIABLES: ReadonlyMap<string, string> = new Map(
  [ARRIVAL_WAIT, DRAIN, SINGLE_WRITER].map((row) => [settingName(row), row.env]),
)

function schemaOf(row: Row): z.ZodType<Setting> {
  const { flag = '', choices, orFile } = row
  if (isTrueOrFalse(row)) return z.boolean()
  const one = choices && !orFile ? z.enum(choices) : textOf(row)
  return flag.endsWith('...>') ? z.array(one) : one
}

/** A value that the row's own parser takes. YAML has numbers where the command line has text. */
function textOf(row: Row): z.ZodType<string> {
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const text = String(value)
    try {
      readText(row, text, flagOf(row))
    } catch (error) {
      if (!(error instanceof PosthaulError)) throw error
      const why = error.cause instanceof RangeError ? error.cause.message : error.message
      context.addIssue({ code: 'custom', message: why })
    }
    return text
  })
}
