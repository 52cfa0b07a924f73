import { folded } from '../text/fold.ts'
import { plainJson, visible } from '../text/visible.ts'
import type { Entry } from './entry.ts'

/** The version of the JSON lines' shape, which docs/unattended.md has. Members are added, never renamed. */
const LINES_VERSION = 1

/** How lines are written. `auto`: for a person, on a terminal or in the mail of a cron job; `plain`: for a program that has its own log. */
export type LogFormat = 'auto' | 'plain' | 'text' | 'json'

/** As a terminal shows it: folded, without a time. */
export function terminalText({ block, label, message }: Entry): string {
  return block ?? folded(visible(message), '  ', `${label}: `)
}

/** Without a time, each entry at once. */
export function plainEntry({ block, label, message }: Entry): string {
  return block ?? `${label}: ${visible(message)}\n`
}

/**
 * As a file or a mail has it: what happens during a run is a line with its time and level; what ends a run, such as a
 * summary or an error, is as a terminal shows it, so that it can be read and its commands copied.
 */
export function mailText(entry: Entry, at: Date): string {
  return entry.block ?? textLines(entry, at)
}

/** As a collector of logs takes it: each line has its time and level. */
export function textLines({ block, label, level, message }: Entry, at: Date): string {
  const prefix = `${isoSeconds(at)} ${level.toUpperCase()}`
  const lines = block?.split('\n').filter((line) => line.trim() !== '') ?? [`${label}: ${visible(message)}`]
  return lines.map((line) => `${prefix} ${line}\n`).join('')
}

/** As one JSON object. */
export function jsonText({ event, label, level, message, members }: Entry, at: Date): string {
  const line = {
    version: LINES_VERSION,
    time: isoSeconds(at),
    level,
    event,
    command: label,
    message,
    ...members,
  }
  return `${plainJson(JSON.stringify(line))}\n`
}

function isoSeconds(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z')
}
