import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { ownOf, parsedOrNone } from '../text/json.ts'
import { eventRules, type SandboxOptions } from './options.ts'

/** What `--project-setting` understands, for a help text of 80 columns. */
export const PROJECT_SETTING_HELP = `Settings of the project: name=value
  drop_events_older_than=30  drops events that are older than so many days
  event_retention_months=12  hides events that are older than so many months
                             from queries and downloads
  timezone=Europe/Berlin     queries see times in it (default: UTC)
  quota_events=5000          takes so many, then is over its quota
  data_deletion=refused      answers 403 to requests for deletion, as a project
                             does that may not make them; absent: 404
  event_rules=<JSON>         drops events that it took: {"filter": …,
                             "restrictions": …, "enforced": …,
                             "transformations": …}, each as the project API
                             tells it; src/sandbox/README.md has an example`

type Settings = Partial<SandboxOptions>

const MOST_DAYS = 100_000
const MOST_MONTHS = 1200

const whole = (most = Number.MAX_SAFE_INTEGER) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.number().max(most))

/** What reads a setting's value, and the option that it is. Later settings win over earlier ones. */
const READERS: Readonly<Record<string, z.ZodType<Settings, string>>> = {
  drop_events_older_than: whole(MOST_DAYS).transform((dropEventsOlderThan) => ({ dropEventsOlderThan })),
  event_retention_months: whole(MOST_MONTHS).transform((retentionMonths) => ({ retentionMonths })),
  timezone: z
    .string()
    .refine(isTimeZone)
    .transform((timeZone) => ({ timeZone })),
  data_deletion: z
    .enum(['current', 'refused', 'absent'])
    .transform((dataDeletion) => ({ dialect: { dataDeletion } })),
  event_rules: z
    .string()
    .transform(parsedOrNone)
    .pipe(eventRules)
    .transform((rules) => ({ eventRules: rules })),
  quota_events: whole().transform((events) => ({ quota: { events } })),
}

/** Reads settings of the form `name=value`. PosthaulError `usage` for an unknown name or a wrong value. */
export function readProjectSettings(specs: readonly string[]): Settings {
  let settings: Settings = {}
  for (const spec of specs) {
    const [name = '', ...rest] = spec.split('=')
    const read = ownOf(READERS, name)
    if (!read) throw wrong(spec, `there is no setting '${name}'`)
    const value = rest.join('=')
    const { data: setting } = read.safeParse(value)
    if (!setting) throw wrong(spec, `'${value}' is no value of it`)
    settings = { ...settings, ...setting }
  }
  return settings
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
