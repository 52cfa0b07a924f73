import { type Command, Option } from 'commander'
import { parseOrigin } from '../../options/hosts.ts'
import { duration, type Parse, wholeNumber } from '../../options/values.ts'
import { DAY_MS, HOUR_MS, parseUtc, type Window, windowsOf } from '../../sources/window.ts'
import { addEndpointFlag } from '../endpoint-flag.ts'
import { read } from '../option-values.ts'

/** The flags that all exports share, read. */
export interface ExportFlags {
  readonly from: number
  readonly to?: number
  readonly out: string
  readonly endpoint?: string
  readonly concurrency?: number
  readonly requestsPerHour?: number
  readonly refetch?: boolean
  readonly dryRun?: boolean
  readonly baseUrl?: string
  readonly retryFor?: number
  readonly timeout?: number
  readonly json?: boolean
}

const origin: Parse<string> = (text) => parseOrigin(text, '--base-url')

export const RETRY_FOR_MS = 2 * HOUR_MS
export const QUIET_MS = 300_000

/** Declares the flags that all exports share. */
export function addExportFlags(command: Command): Command {
  return addEndpointFlag(command)
    .requiredOption('--from <time>', 'first day (or hour), UTC: 2024-03-01 or 2024-03-01T05', read(parseUtc))
    .option('--to <time>', 'the first day (or hour) that is left out (default: today)', read(parseUtc))
    .requiredOption('--out <store>', 'folder or s3://bucket/prefix of the raw dataset')
    .option('--refetch', 'fetch windows anew that are there already: late data, corrections')
    .option('--dry-run', 'print what would be asked, and how long it must take; ask nothing')
    .option('--concurrency <n>', 'windows fetched at once', read(wholeNumber(1, 100)))
    .option('--requests-per-hour <n>', "when it is not the vendor's usual quota", read(wholeNumber(1)))
    .option('--retry-for <duration>', 'how long to bear failures in a row (default: 2h)', read(duration))
    .option('--timeout <duration>', "longest silence of the vendor's server (default: 5m)", read(duration))
    .option('--base-url <url>', 'ask this address in place of the vendor: a proxy', origin)
    .option('--json', 'print the summary as one JSON object on stdout')
}

/** A window's length, where the user may choose it: whole hours that divide a day. */
const windowSpan: Parse<number> = (text) => {
  const span = duration(text)
  if (span > 0 && span % HOUR_MS === 0 && DAY_MS % span === 0) return span
  throw new RangeError('expected whole hours that divide a day: 1h, 2h, 3h, 4h, 6h, 8h, 12h or 24h')
}

/** The option for a window's length, where the user may choose it. `much`: what becomes of one that holds much. */
export function windowOption(much: string): Option {
  return new Option('--window <duration>', `length of a window, 1h to 24h; ${much}`).argParser(
    read(windowSpan),
  )
}

/** The windows that were asked for. `exportable`: until when the vendor has data to export by now. */
export function windowsFrom(flags: ExportFlags, spanMs: number, exportable: number): Window[] {
  const now = Date.now()
  // Today is not over: it is exported only when it is asked for.
  const to = flags.to ?? Math.min(now - (now % DAY_MS), exportable - (exportable % spanMs))
  return windowsOf(flags.from, to, spanMs, exportable)
}
