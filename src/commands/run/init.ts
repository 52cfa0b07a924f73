import { writeFile } from 'node:fs/promises'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { IN } from '../../options/dataset-rows.ts'
import { helpOf, type Row, type Values } from '../../options/row.ts'
import { INIT_DAYS, INIT_STORE } from '../../options/run-rows.ts'
import { REGION } from '../../options/service-rows.ts'
import { PRESET } from '../../options/transform-rows.ts'
import { vendorNamed } from '../../sources/vendors.ts'
import { errnoOf, fileError } from '../../store/file-error.ts'
import { hung } from '../../text/fold.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { type INIT_ROWS, SOURCE } from './index.ts'

type InitValues = Values<typeof INIT_ROWS>

/**
 * Writes a commented migration file from options. Never over a file. `askShownFrom`: asks for the first day that the project
 * shows.
 */
export async function initMigration(
  file: string,
  values: InitValues,
  { stderr }: Pick<Io, 'stderr'>,
  askShownFrom: () => Promise<string | undefined> = async () => undefined,
) {
  const answers = answersOf(values)
  const shownFrom = await askShownFrom()
  const text = firstFile({ ...answers, shownFrom })
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (cause) {
    if (errnoOf(cause) !== 'EEXIST') throw fileError(cause, 'write', file)
    throw new PosthaulError(`${file} is there already, and was left as it is`, {
      code: 'usage',
      hint: 'name another file, or delete this one',
      cause,
    })
  }
  stderr.write(`run: wrote ${file}; look at it, then see what would be done:\n`)
  if (shownFrom !== undefined)
    for (const line of hung(
      `the project hides events from before ${shownFrom}: the file says how to leave them out`,
    ))
      stderr.write(`${line}\n`)
  stderr.write(`  next: ${posthaulLine(['run', file, '--dry-run'])}\n`)
}

function answersOf(values: InitValues) {
  const { days, in: files, preset, store, region, host } = values
  const source = needed(values.source, SOURCE)
  return {
    source:
      source === 'files'
        ? {
            kind: 'files' as const,
            files: needed(files.length > 0 ? files : undefined, IN),
            preset: needed(preset, PRESET),
          }
        : vendorOf(source, needed(days, INIT_DAYS)),
    store: needed(store, INIT_STORE),
    target: host === undefined ? { region: needed(region, REGION) } : { host },
  }
}

function needed<T>(value: T | undefined, row: Row & { readonly flag: string }): T {
  if (value !== undefined) return value
  throw new PosthaulError(`--init needs to know more: ${row.flag} is missing`, {
    code: 'usage',
    hint: `add ${row.flag}: ${helpOf(row)}`,
  })
}

function vendorOf(vendor: string, days: string) {
  const [from = '', to] = days.split('..')
  return { kind: 'vendor' as const, vendor, from, to: to || undefined }
}

/** What a new migration file says of itself. `shownFrom`: the first day that the project shows, where it hides older ones. */
export type Answers = ReturnType<typeof answersOf> & { readonly shownFrom?: string | undefined }

/** The text of a new migration file, with a comment on each part. */
export function firstFile(answers: Answers): string {
  const { store, target } = answers
  return `# A whole migration. Start it, and start it again after whatever stopped it:
#   posthaul run migration.yaml
# Keys are never in this file. The environment has them, or files of mode 0600
# that <NAME>_FILE names: ${keysOf(answers)}.

# Where the history comes from.
source:
${sourceLines(answers)}
# How records become events: the options of transform, with underscores.
mapping:
${mappingLines(answers)}
# Where raw records, events and the state are kept: a folder (a path from this
# file), or s3://bucket/prefix, which another machine can go on from.
store: ${quoted(store)}

# The project that the events go to.
target:
  ${'region' in target ? `region: ${target.region}` : `host: ${quoted(target.host)}`}
  # project_id: 12345

# At most 10,000 events a minute and 20,000,000 in all are sent unasked. For more,
# ask PostHog first (posthaul check writes the request), then say what it granted:
# approval:
#   reference: support ticket 123, 2024-03-01
#   events: 50000000
#   events_per_minute: 20000
${scheduleLines(answers)}`
}

function keysOf({ source }: Answers): string {
  const own = 'POSTHOG_PROJECT_API_KEY and\n# POSTHOG_PERSONAL_API_KEY'
  return source.kind === 'vendor' ? `${own};\n# ${vendorNamed(source.vendor).credentials}` : own
}

function sourceLines({ source }: Answers): string {
  if (source.kind === 'files')
    return `  files:\n${source.files.map((file) => `    - ${quoted(file)}\n`).join('')}`
  const { vendor, from, to } = source
  const end =
    to === undefined
      ? ['# to: 2030-01-01   # the day on which the old tool is switched off, once it is known']
      : [`to: ${to}   # the first day that is left out`]
  const lines = [`from: ${from}   # the first day, UTC`, ...end, ...vendorNamed(vendor).firstLines]
  return `  ${vendor}:\n${lines.map((line) => `    ${line}\n`).join('')}`
}

function mappingLines({ source, shownFrom }: Answers): string {
  const preset = source.kind === 'files' ? source.preset : source.vendor
  const isTables = source.kind === 'vendor' && vendorNamed(source.vendor).preset !== undefined
  const mapped = isTables
    ? '  file: mapping.yaml            # what the columns become: posthaul init writes a first one\n'
    : `  preset: ${preset}
  # file: mapping.yaml          # what you add to the preset: docs/mapping-files.md
`
  const shown =
    shownFrom === undefined
      ? ''
      : `  # The project hides events from before ${shownFrom} by its retention: nobody would see them.
  # This line of the mapping file leaves them out:
  #   filter: { from: ${shownFrom} }
`
  return `${mapped}${shown}  # max_reject_ratio: 0.1       # stop if more of the first 10,000 records are rejected
`
}

function scheduleLines({ source }: Answers): string {
  if (source.kind === 'files') return ''
  const text = `
# With it each run, from cron, carries what has become 48 hours old since the last
# one, and fetches the last 5 days again for what came late.
`
  return `${text}${source.to === undefined ? '' : '# '}schedule: daily\n`
}

/** As YAML, in quotes where a plain word could be read as something else. */
function quoted(text: string): string {
  return /^[\w./-]*[a-z/][\w./-]*$/i.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text)
}
