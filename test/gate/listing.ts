import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { WireRequest } from './wire.ts'

/** What one scene left behind. */
export interface Outcome {
  readonly folder: string
  readonly printed: readonly {
    readonly argv: readonly string[]
    readonly code: number
    readonly stdout: string
  }[]
  readonly requests: readonly WireRequest[]
}

/** A part of the events of one day. */
const DAY = /\d{4}-\d\d-\d\d.*\.ndjson/

/** Where events go in; all other requests ask, and may be under way side by side. */
const INGESTION = /^\/(batch|i)\//

/** The kind, the name and the sha256 of each file and output, the requests, and the days of a folder, which change together. */
export function listingOf({ folder, printed, requests }: Outcome): string {
  const lines = [
    ...printed.map(({ argv, code, stdout }) => `stdout ${hash(stdout, folder)} ${code} ${argv.join(' ')}`),
    ...fileLines(folder),
    ...wireLines(requests, folder),
  ]
  return `${lines.join('\n')}\n`
}

function fileLines(folder: string): string[] {
  const lines = new Map<string, string[]>()
  for (const path of filesBelow(folder)) {
    const name = relative(folder, path)
    const place = name.replace(DAY, '<days>')
    lines.set(place, [...(lines.get(place) ?? []), `file ${hash(readFileSync(path), folder)} ${name}`])
  }
  return [...lines].flatMap(([place, all]) =>
    all.length === 1 ? all : [`file ${hash(all.join('\n'), folder)} ${all.length} ${place}`],
  )
}

/** A line for the requests with events, in their order, and one for all that was asked. */
function wireLines(requests: readonly WireRequest[], folder: string): string[] {
  const line = ({ method, path, body }: WireRequest) => `wire ${hash(body, folder)} ${method} ${path}`
  const sent = requests.filter(({ path }) => INGESTION.test(path)).map(line)
  // How often a question is asked while the answer is awaited depends on the machine.
  const asked = [...new Set(requests.filter(({ path }) => !INGESTION.test(path)).map(line))].sort()
  const all = (lines: readonly string[], what: string) =>
    lines.length === 0 ? [] : [`wire ${hash(lines.join('\n'), folder)} ${lines.length} ${what}`]
  return [...all(sent, 'with events'), ...all(asked, 'questions')]
}

/** Without the input, and without the states before the last: how often a state is saved depends on the machine. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .filter((name) => name !== 'delivered' && !name.endsWith('.previous'))
    .flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? filesBelow(path) : [path]
    })
}

function hash(bytes: Buffer | string, folder: string): string {
  // latin1 keeps each byte as one character, so that what isn't text is hashed as it is.
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1')
  return createHash('sha256').update(settled(text, folder), 'latin1').digest('hex').slice(0, 16)
}

/** The text without what the machine decides: the folder of the scene, times taken, process ids. */
function settled(text: string, folder: string): string {
  return MACHINE.reduce(
    (kept, [pattern, word]) => kept.replace(pattern, word),
    text.replaceAll(folder, '<folder>'),
  )
}

const MACHINE: readonly (readonly [RegExp, string])[] = [
  [/("(?:[a-z_]*seconds|answer_ms|[a-z_]*per_(?:second|minute))": ?)[\d.]+/g, '$1<time>'],
]
