import { writeFileSync } from 'node:fs'
import { seeded } from '../../helpers/random.ts'

/** An event as it was made, in the very bytes. */
export interface MintedEvent {
  /** From 0, in the order of the file. */
  readonly n: number
  readonly uuid: string
  readonly distinctId: string
  readonly line: string
}

export interface MintOptions {
  readonly seed: number
  readonly events: number
  /** UTC days, as many events in each; one if left out. */
  readonly days?: number
  /** Distinct ids that the events belong to; 7 if left out. */
  readonly ids?: number
  /** Random characters that each event has besides: gzip can't make them much smaller. */
  readonly padding?: number
}

/** Values that bend when they are parsed and printed again, as JSON text. */
const ODD = [
  ...['12345678901234567890', '1.0', '1E+5', '-0', '1e-7', '0.1000000000000000055511151231257827'],
  ...['"\\u00e9"', '"\\ud83d\\ude00 \u{1f600}"', '"a\\/b </script> \\u2028"', '"}],[{ \\" \\\\"'],
  ...['{"batch":[{"a":[]}], "n" : 1.50}', '[1.0, 2, {"deep":[[[null]]]}]', '""', 'null'],
]

/** Writes events in the service's own form, days oldest first, as `transform` would. Equal options give equal bytes. */
export function mint(path: string, options: MintOptions): MintedEvent[] {
  const minted = mintEvents(options)
  writeFileSync(path, minted.map(({ line }) => `${line}\n`).join(''))
  return minted
}

export function mintEvents({ seed, events, days = 1, ids = 7, padding = 0 }: MintOptions): MintedEvent[] {
  const random = seeded(seed)
  const below = (most: number) => Math.floor(random() * most)
  const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join('')
  const two = (value: number) => String(value).padStart(2, '0')
  // Events share it, but at places too far apart for gzip to find.
  const pool = hex(padding * 3)
  const cut = () => {
    const at = below(2 * padding)
    return pool.slice(at, at + padding)
  }
  return Array.from({ length: events }, (_, n) => {
    const uuid = `${hex(8)}-${hex(4)}-5${hex(3)}-8${hex(3)}-${hex(12)}`
    const distinctId = `person ${below(ids)}`
    const day = Math.floor((n * days) / events)
    const second = Math.floor((n * 86_399) / events)
    const clock = `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`
    const timestamp = `2024-01-${two(1 + day)}T${clock}.${String(below(1_000_000)).padStart(6, '0')}Z`
    const pad = padding === 0 ? '' : `,"pad":"${cut()}"`
    const properties = `{"distinct_id":"${distinctId}","n":${n},"odd":${ODD[below(ODD.length)]}${pad}}`
    const head = `"uuid":"${uuid}","timestamp":"${timestamp}","event":"made up"`
    const line = `{${head},"distinct_id":"${distinctId}","properties":${properties}}`
    return { n, uuid, distinctId, line }
  })
}
