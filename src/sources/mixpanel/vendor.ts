import { row } from '../../options/row.ts'
import type { Parse } from '../../options/values.ts'
import { number } from '../../text/words.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'
import { CONCURRENCY, REQUESTS_PER_HOUR } from '../export-rows.ts'
import type { VendorRow } from '../vendor-source.ts'

/**
 * Mixpanel's quotas: 60 requests an hour and 3 a second. The limiter's spans are a little longer than these, because
 * requests do not arrive at the pace at which they are sent.
 */
export const MIXPANEL_LIMITS = { perHour: 60, perSecond: 3 } as const

/** The profiles of users, or of the groups of one type. */
export interface ProfileKind {
  /** The name of the part: `profiles`, `group-profiles-company`. */
  readonly name: string
  readonly group?: { readonly type: string; readonly dataGroupId: string }
}

const groupProfiles: Parse<ProfileKind> = (text) => {
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

/** The options that only this export has. A migration file takes them too. */
const OWN_ROWS = [
  row({
    flag: '--region <name>',
    choices: ['us', 'eu', 'in'],
    default: 'us',
    help: "where the project's data lives",
  }),
  row({ flag: '--event <name...>', otherwise: 'all', help: 'only events of these names' }),
  row({ flag: '--profiles', help: 'user profiles too, as $set events' }),
  row({
    flag: '--group-profiles <type=id...>',
    parse: groupProfiles,
    help: 'profiles of groups: company=<data group id>',
  }),
] as const

/** The options of `export mixpanel`, in the order of its help. */
export const MIXPANEL_ROWS = [
  ...WHAT_ROWS,
  ...OWN_ROWS,
  ...WHETHER_ROWS,
  { ...REQUESTS_PER_HOUR, default: number(MIXPANEL_LIMITS.perHour) },
  CONCURRENCY,
  ...HOW_ROWS,
] as const

export const mixpanelVendor = {
  name: 'mixpanel',
  description: 'raw events by day; profiles',
  help: `
Credentials: MIXPANEL_PROJECT_ID with MIXPANEL_SERVICE_ACCOUNT and
MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET; each from the environment, or
from the file that <name>_FILE names. Days are those of the project: UTC, or its
own time zone if it was made before 2023.`,
  credentials: 'MIXPANEL_SERVICE_ACCOUNT with MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET',
  signs: ['MIXPANEL_SERVICE_ACCOUNT', 'MIXPANEL_API_SECRET'],
  rows: MIXPANEL_ROWS,
  settings: OWN_ROWS,
  variables: { project_id: ['MIXPANEL_PROJECT_ID', 'the project that is exported'] },
  firstLines: ['# project_id: 1234567', '# region: eu', '# profiles: true'],
} as const satisfies VendorRow
