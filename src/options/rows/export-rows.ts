import { parseOrigin } from '../hosts.ts'
import { row } from '../row.ts'
import { duration, hoursOfDay, type Parse, utcTime, wholeNumber } from '../values.ts'

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
  help: 'fetch windows again that are there already, for late data or corrections',
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

/** The origin is checked like all others, and the path kept: a Matomo can be in a folder of its host. */
function matomoAddress(text: string): string {
  const [, host = '', path = ''] = /^((?:[a-z]+:\/\/)?[^/?#]*)([^?#]*)/i.exec(text) ?? []
  return `${parseOrigin(host, '--url')}${path.replace(/\/index\.php$/, '')}`.replace(/\/+$/, '')
}

export const MATOMO_URL = row({
  flag: '--url <url>',
  parse: matomoAddress,
  help: 'address of your Matomo; ids of events are made with it',
})

export const MATOMO_SITE = row({
  flag: '--site <id>',
  parse: wholeNumber(1),
  help: "the site's number, idSite",
})

export const MIXPANEL_REGION = row({
  flag: '--region <name>',
  choices: ['us', 'eu', 'in'],
  default: 'us',
  help: "where the project's data lives",
})

export const AMPLITUDE_REGION = row({
  flag: '--region <name>',
  choices: ['us', 'eu'],
  default: 'us',
  help: "where the project's data lives",
})

export const EVENT = row({ flag: '--event <name...>', otherwise: 'all', help: 'only events of these names' })

export const PROFILES = row({ flag: '--profiles', help: 'user profiles too, as $set events' })

export interface GroupProfiles {
  /** Names the part. */
  readonly name: string
  readonly group: { readonly type: string; readonly dataGroupId: string }
}

const groupProfiles: Parse<GroupProfiles> = (text) => {
  const [, type, dataGroupId] = /^([\w -]{1,100})=(-?\d{1,30})$/.exec(text) ?? []
  if (type === undefined || dataGroupId === undefined) {
    throw new RangeError(
      'expected a group type and its data group id (project settings, Group keys), such as company=-1234567890123',
    )
  }
  return {
    name: `group-profiles-${type.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
    group: { type, dataGroupId },
  }
}

export const GROUP_PROFILES = row({
  flag: '--group-profiles <type=id...>',
  parse: groupProfiles,
  help: 'profiles of groups: company=<data group id>',
})

export const PERSONS = row({ flag: '--persons', help: 'persons too, as $set events' })

export const GROUPS = row({ flag: '--groups', help: 'groups too, which transform turns into group events' })

export const EXPORT_VIA = row({
  flag: '--via <way>',
  choices: ['query', 'downloads', 'auto'],
  default: 'query',
  help: 'by the query endpoint, by file downloads, or by downloads and, for months that come short, by query',
})

export const DOWNLOAD_FORMAT = row({
  flag: '--format <name>',
  choices: ['jsonl', 'parquet'],
  otherwise: 'jsonl',
  help: 'form of the files of --via downloads or auto',
})
