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

/** Where events go in; all other requests ask, and may be under way side by side. */
const INGESTION = /^\/(batch|i)\//

/** A line for each file, each output and each request: its kind, its name and the sha256 of its bytes. */
export function listingOf({ folder, printed, requests }: Outcome): string {
  const lines = [
    ...printed.map(({ argv, code, stdout }) => `stdout ${hash(stdout, folder)} ${code} ${argv.join(' ')}`),
    ...filesBelow(folder).map((path) => `file ${hash(readFileSync(path), folder)} ${relative(folder, path)}`),
    ...wireLines(requests, folder),
  ]
  return `${lines.join('\n')}\n`
}

/** Requests with events in their order, and one line of all that was asked: questions change together. */
function wireLines(requests: readonly WireRequest[], folder: string): string[] {
  const line = ({ method, path, body }: WireRequest) => `wire ${hash(body, folder)} ${method} ${path}`
  const sent = requests.filter(({ path }) => INGESTION.test(path)).map(line)
  // How often a question is asked while the answer is awaited depends on the machine.
  const asked = [...new Set(requests.filter(({ path }) => !INGESTION.test(path)).map(line))].sort()
  return asked.length === 0
    ? sent
    : [...sent, `wire ${hash(asked.join('\n'), folder)} ${asked.length} questions`]
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
