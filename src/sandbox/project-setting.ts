import { PosthaulError } from '../errors.ts'
import { ownOf, parsedOrNone } from '../text/json.ts'
import { METERS } from './faults/fault.ts'
import { eventRules, GROUP_CREATED_AT, type SandboxOptions } from './options.ts'

/** What `--project-setting` understands, for a help text of 80 columns. */
export const PROJECT_SETTING_HELP = `Settings of the project: name=value
  drop_events_older_than=30  drops events that are older than so many days
  max_message_bytes=800000   drops events with more bytes, after it took them
  event_retention_months=12  hides events that are older than so many months
                             from queries and downloads
  timezone=Europe/Berlin     queries see times in it (default: UTC)
  quota_events=5000          takes so many, then is over its quota; so do
                             quota_exceptions, quota_surveys and quota_ai
  group_created_at=arrival   a new group type is as old as its arrival, as on
                             older servers; null hides no group; the default,
                             event, is the time of the event that makes it
  group_types_cache=300      the list of group types is as it was up to so many
                             seconds ago (default: 0)
  max_events_per_id=300      of one distinct_id takes so many a minute; more
                             are stored without person and groups
  merge_after=600            duplicates are seen for so many seconds
                             (default: 60)
  data_deletion=refused      answers 403 to requests for deletion, as a project
                             does that may not make them; absent: 404
  key_projects=1             limits the personal key to this project, as PostHog
                             recommends; more ids are joined by commas
  key_organizations=<id>     limits it to this organization, and so on; that of
                             the project is 00000000-0000-4000-8000-000000000001
  event_rules=<JSON>         drops events that it took: {"filter": …,
                             "restrictions": …, "enforced": …,
                             "transformations": …}, each as the project API
                             tells it; src/sandbox/README.md has an example`

type Settings = Pick<
  SandboxOptions,
  | 'dropEventsOlderThan'
  | 'maxMessageBytes'
  | 'timeZone'
  | 'quota'
  | 'groupCreatedAt'
  | 'groupTypesCacheMs'
  | 'mergeAfterMs'
  | 'dialect'
  | 'maxEventsPerId'
  | 'keyProjects'
  | 'keyOrganizations'
  | 'eventRules'
  | 'retentionMonths'
>

const DATA_DELETION = ['current', 'refused', 'absent'] as const
const MOST_DAYS = 100_000
const MOST_MONTHS = 1200
const MOST_SECONDS = 1_000_000

/** Reads one setting's value; undefined if the text isn't one. Later settings win over earlier ones. */
const READERS: Readonly<Record<string, (value: string, before: Settings) => Settings | undefined>> = {
  drop_events_older_than: (value) =>
    whole(value, MOST_DAYS, (dropEventsOlderThan) => ({ dropEventsOlderThan })),
  max_message_bytes: (value) =>
    whole(value, Number.MAX_SAFE_INTEGER, (maxMessageBytes) => ({ maxMessageBytes })),
  event_retention_months: (value) => whole(value, MOST_MONTHS, (retentionMonths) => ({ retentionMonths })),
  timezone: (timeZone) => (isTimeZone(timeZone) ? { timeZone } : undefined),
  group_created_at: (value) => oneOf(value, GROUP_CREATED_AT, (groupCreatedAt) => ({ groupCreatedAt })),
  group_types_cache: (value) =>
    whole(value, MOST_SECONDS, (seconds) => ({ groupTypesCacheMs: seconds * 1000 })),
  max_events_per_id: (value) =>
    whole(value, Number.MAX_SAFE_INTEGER, (maxEventsPerId) => ({ maxEventsPerId })),
  merge_after: (value) => whole(value, MOST_SECONDS, (seconds) => ({ mergeAfterMs: seconds * 1000 })),
  data_deletion: (value, { dialect }) =>
    oneOf(value, DATA_DELETION, (dataDeletion) => ({ dialect: { ...dialect, dataDeletion } })),
  key_projects: (value) =>
    /^\d{1,9}(?:,\d{1,9})*$/.test(value) ? { keyProjects: value.split(',').map(Number) } : undefined,
  key_organizations: (value) =>
    /^[\da-f-]{36}(?:,[\da-f-]{36})*$/.test(value) ? { keyOrganizations: value.split(',') } : undefined,
  event_rules: (value) => {
    const rules = eventRules.safeParse(parsedOrNone(value))
    return rules.success ? { eventRules: rules.data } : undefined
  },
  ...Object.fromEntries(
    METERS.map((meter) => [
      `quota_${meter}`,
      (value: string, { quota }: Settings) =>
        whole(value, Number.MAX_SAFE_INTEGER, (most) => ({ quota: { ...quota, [meter]: most } })),
    ]),
  ),
}

/** Reads settings of the form `name=value`. PosthaulError `usage` for an unknown name or a wrong value. */
export function readProjectSettings(specs: readonly string[]): Settings {
  let settings: Settings = {}
  for (const spec of specs) {
    const [name = '', ...rest] = spec.split('=')
    const read = ownOf(READERS, name)
    if (!read) throw wrong(spec, `there is no setting '${name}'`)
    const value = rest.join('=')
    const setting = read(value, settings)
    if (!setting) throw wrong(spec, `'${value}' is no value of it`)
    settings = { ...settings, ...setting }
  }
  return settings
}

function whole(text: string, most: number, use: (value: number) => Settings): Settings | undefined {
  const value = Number(text)
  return /^\d+$/.test(text) && value <= most ? use(value) : undefined
}

function oneOf<T extends string>(
  text: string,
  words: readonly T[],
  use: (word: T) => Settings,
): Settings | undefined {
  const word = words.find((one) => one === text)
  return word === undefined ? undefined : use(word)
}

function isTimeZone(name: string): boolean {
  // An offset is a time zone to Intl, but not one that a project can have.
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function wrong(spec: string, why: string): PosthaulError {
  return new PosthaulError(`the project setting '${spec}' is not valid: ${why}`, {
    code: 'usage',
    hint: `the settings are ${Object.keys(READERS).join(', ')}`,
  })
}
