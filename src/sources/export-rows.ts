import { row } from '../options/row.ts'
import { duration, hoursOfDay, parseOrigin, utcTime, wholeNumber } from '../options/values.ts'

// What is fetched from a vendor, and how.

export const FROM = row({
  flag: '--from <time>',
  parse: utcTime,
  help: 'first day (or hour), UTC: 2024-03-01 or 2024-03-01T05',
})

export const TO = row({
  flag: '--to <time>',
  parse: utcTime,
  otherwise: 'today',
  help: 'the first day (or hour) that is left out',
})

/** Each vendor's command adds its default. */
export const WINDOW = row({
  flag: '--window <duration>',
  parse: hoursOfDay,
  help: 'length of a window, 1h to 24h',
})

export const REFETCH = row({
  flag: '--refetch',
  help: 'fetch windows that are there already once more, for late data or corrections',
})

export const NO_RECONCILE = row({
  flag: '--no-reconcile',
  shown: 'seldom',
  help: "do not hold the export against the vendor's own counts",
})

export const EXPORT_DRY_RUN = row({
  flag: '--dry-run',
  help: 'print the requests and the least time they take; send none',
})

export const CONCURRENCY = row({
  flag: '--concurrency <n>',
  shown: 'seldom',
  parse: wholeNumber(1, 100),
  default: '4',
  help: 'windows fetched at once',
})

/** Each vendor's command adds its quota as the default. */
export const REQUESTS_PER_HOUR = row({
  flag: '--requests-per-hour <n>',
  shown: 'seldom',
  parse: wholeNumber(1),
  help: "most requests an hour: the vendor's quota",
})

export const EXPORT_RETRY_FOR = row({
  flag: '--retry-for <duration>',
  shown: 'seldom',
  parse: duration,
  default: '2h',
  help: 'how long to retry failures in a row before giving up, e.g. 90s, 1h30m',
})

export const TIMEOUT = row({
  flag: '--timeout <duration>',
  shown: 'seldom',
  parse: duration,
  default: '5m',
  help: "longest silence of the vendor's server",
})

export const BASE_URL = row({
  flag: '--base-url <url>',
  shown: 'seldom',
  parse: parseOrigin,
  otherwise: "the vendor's own",
  help: 'another address for the requests, such as a proxy',
})
