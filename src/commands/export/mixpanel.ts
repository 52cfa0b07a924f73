import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Io } from '../../io.ts'
import { readSecret } from '../../options/read-secret.ts'
import type { Sources } from '../../options/resolve.ts'
import { oneOf } from '../../options/values.ts'
import {
  MIXPANEL_HOSTS,
  MIXPANEL_LIMITS,
  type MixpanelRegion,
  mixpanelOrder,
} from '../../sources/mixpanel/mixpanel.ts'
import type { ProfileKind } from '../../sources/mixpanel/profiles.ts'
import { basic, type Credentials } from '../../sources/vendor-client.ts'
import { DAY_MS, HOUR_MS } from '../../sources/window.ts'
import { read } from '../option-values.ts'
import { loadSources } from '../service-flags.ts'
import { addExportFlags, type ExportFlags, QUIET_MS, windowsFrom } from './flags.ts'
import { runExportCommand } from './run.ts'

interface Flags extends ExportFlags {
  readonly region: MixpanelRegion
  readonly event?: string[]
  readonly profiles?: boolean
  readonly groupProfiles?: ProfileKind[]
}

/** `export mixpanel`. */
export function configureMixpanel(command: Command, io: Io, exit: (code: ExitCode) => void): void {
  addExportFlags(command.description('raw events by day; profiles'))
    .option('--region <us|eu|in>', "where the project's data lives", read(oneOf('us', 'eu', 'in')), 'us')
    .option('--event <name...>', 'only events of these names')
    .option('--profiles', 'user profiles too, as $set events')
    .option('--group-profiles <type=id...>', 'profiles of groups: company=<data group id>', groupKind)
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => exit(await run(flags, io)))
}

const HELP = `
Credentials: MIXPANEL_PROJECT_ID with MIXPANEL_SERVICE_ACCOUNT and
MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET; each from the environment, or
from the file that <name>_FILE names. Days are those of the project: UTC, or its
own zone when it was made before 2023.`

async function run(flags: Flags, io: Io): Promise<ExitCode> {
  const sources = await loadSources({}, io)
  const { credentials, projectId } = await credentialsFrom(sources, io)
  const { region, baseUrl } = flags
  const perHour = flags.requestsPerHour ?? MIXPANEL_LIMITS.perHour
  const order = mixpanelOrder({
    hosts: baseUrl === undefined ? MIXPANEL_HOSTS[region] : { data: baseUrl, query: baseUrl },
    region,
    credentials,
    projectId,
    events: flags.event ?? [],
    windows: windowsFrom(flags, DAY_MS, endOfToday()),
    profiles: [...(flags.profiles ? [{ name: 'profiles' }] : []), ...(flags.groupProfiles ?? [])],
    limits: [
      // A little longer than the vendor's spans: requests do not arrive at the pace they leave.
      { requests: perHour, perMs: HOUR_MS + 5000 },
      { requests: MIXPANEL_LIMITS.perSecond, perMs: 1100 },
    ],
    quietMs: flags.timeout ?? QUIET_MS,
    clock: systemClock,
  })
  return runExportCommand(order, flags, io)
}

// Today is a window too where the user asks for it by name: it is told to be too young.
function endOfToday(): number {
  const now = Date.now()
  return now - (now % DAY_MS) + DAY_MS
}

function groupKind(text: string, before: ProfileKind[] = []): ProfileKind[] {
  const [, type, dataGroupId] = /^([\w -]{1,100})=(-?\d{1,30})$/.exec(text) ?? []
  if (type === undefined || dataGroupId === undefined) {
    throw new PosthaulError(`--group-profiles ${text}: expected a group type and its data group id`, {
      code: 'usage',
      hint: 'write company=-1234567890123; the id is in the project settings, under Group keys',
    })
  }
  const name = `group-profiles-${type.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  return [...before, { name, group: { type, dataGroupId } }]
}

async function credentialsFrom(
  sources: Sources,
  io: Io,
): Promise<{ credentials: Credentials; projectId: string | undefined }> {
  const secret = (env: string) => readSecret({ env }, sources, io.stdin)
  const account = await secret('MIXPANEL_SERVICE_ACCOUNT')
  const projectId = sources.env.MIXPANEL_PROJECT_ID?.trim() || undefined
  if (!account) {
    const apiSecret = await secret('MIXPANEL_API_SECRET')
    if (apiSecret) return { credentials: basic(apiSecret, undefined), projectId }
    throw lacking('no credentials for Mixpanel')
  }
  const password = await secret('MIXPANEL_SERVICE_SECRET')
  if (!password) throw lacking('MIXPANEL_SERVICE_ACCOUNT is there, MIXPANEL_SERVICE_SECRET is not')
  if (projectId === undefined)
    throw lacking('a service account does not say which project: no MIXPANEL_PROJECT_ID')
  return { credentials: basic(account, password), projectId }
}

function lacking(message: string): PosthaulError {
  return new PosthaulError(message, {
    code: 'auth',
    hint: 'set MIXPANEL_PROJECT_ID, MIXPANEL_SERVICE_ACCOUNT and MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET',
  })
}
