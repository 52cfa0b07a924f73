import { required, row } from '../../options/row.ts'
import { parseOrigin, wholeNumber } from '../../options/values.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'
import { CONCURRENCY, REQUESTS_PER_HOUR } from '../export-rows.ts'
import type { VendorRow } from '../vendor-source.ts'

/** The origin is checked like all others, and the path kept: a Matomo can be in a folder of its host. */
function matomoAddress(text: string): string {
  const [, host = '', path = ''] = /^((?:[a-z]+:\/\/)?[^/?#]*)([^?#]*)/i.exec(text) ?? []
  return `${parseOrigin(host, '--url')}${path.replace(/\/index\.php$/, '')}`.replace(/\/+$/, '')
}

const URL_ROW = row({
  flag: '--url <url>',
  parse: matomoAddress,
  help: 'address of your Matomo; ids of events are made with it',
})

const SITE = row({ flag: '--site <id>', parse: wholeNumber(1), help: "the site's number, idSite" })

/** The options of `export matomo`, in the order of its help. */
export const MATOMO_ROWS = [
  ...WHAT_ROWS,
  required(URL_ROW),
  required(SITE),
  ...WHETHER_ROWS,
  { ...REQUESTS_PER_HOUR, default: '3600' },
  { ...CONCURRENCY, default: '2' },
  ...HOW_ROWS,
] as const

export const matomoVendor = {
  name: 'matomo',
  description: 'visits with their actions by day',
  help: `
Credentials: MATOMO_TOKEN, the token of a user who may view the site; from the
environment, or from the file that MATOMO_TOKEN_FILE names. Days are those of
the site's time zone, and only days that are over there can be exported.`,
  credentials: 'MATOMO_TOKEN',
  signs: ['MATOMO_TOKEN'],
  rows: MATOMO_ROWS,
  settings: [URL_ROW, SITE],
  variables: {},
  firstLines: [
    '# the address of your Matomo, and the number of the site',
    'url: https://matomo.example.com',
    'site: 1',
  ],
} as const satisfies VendorRow
