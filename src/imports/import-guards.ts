import { ArrivalWatch } from '../delivery/arrival-watch.ts'
import { type CheckpointState, takenFrom } from '../delivery/checkpoint.ts'
import { systemClock } from '../http/clock.ts'
import type { Secret } from '../http/secret.ts'
import type { Transport } from '../http/transport.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import { type ApiSettings, apiSettingsIfAny, type ReaderValues } from '../options/service-settings.ts'
import type { Api, AskedProject } from '../service/api.ts'
import { arrivedEvents } from '../service/arrived-events.ts'
import { ownerAmong, projectOwners, WrongKey } from '../service/key-owner.ts'
import { serviceQuestion as askInTime } from '../service/question.ts'
import { retentionOf } from '../service/retention.ts'
import { tryProjectKey } from '../service/send-events.ts'
import { MS_PER_SECOND } from '../text/units.ts'
import type { WarningWatch } from './ask-warnings.ts'
import type { ImportOrder } from './import-order.ts'
import type { Losses } from './losses.ts'

/** The longest that a question takes: an address that doesn't answer must not hold an import up. */
const ANSWER_MS = 30 * MS_PER_SECOND

/** The project that events go to, and how it is asked. */
export interface KnownProject extends Losses {
  readonly settings: ApiSettings
  readonly id: string
  readonly name: string
  /** Asks it something, for a limited time. */
  readonly ask: <T>(work: (project: AskedProject) => Promise<T>, timeoutMs?: number) => Promise<T>
}

/**
 * Finds out whose the project key is, if a personal key is set. Throws a WrongKey if it is another project's.
 */
export async function projectOf(
  options: Options<ReaderValues>,
  projectKey: Secret,
  io: Io,
): Promise<KnownProject | undefined> {
  const settings = await apiSettingsIfAny(options, io.stdin)
  if (!settings) return undefined
  const owners = await question(settings, io, projectOwners)
  const id = ownerAmong(owners, projectKey, settings)
  const owner = owners.find((one) => String(one.id) === id)!
  const ask: KnownProject['ask'] = (work, timeoutMs) =>
    question(settings, io, (api) => work({ api, projectId: id }), timeoutMs)
  return { settings, id, name: owner.name, ask, retention: retentionOf(owner, Date.now()) }
}

/** True for an import that goes on, and of which the project has events: it has asked before the first of them. */
export function hasBegun({ place }: Pick<ImportOrder, 'place'>, saved: CheckpointState | undefined): boolean {
  return !place.restart && saved !== undefined && takenFrom(saved) > 0
}

/** The watch over what arrives in the project. */
export function arrivalWatch(
  project: KnownProject,
  warnings: WarningWatch | undefined,
  watch: Pick<ConstructorParameters<typeof ArrivalWatch>[0], 'waitMs' | 'note' | 'isOver'>,
): ArrivalWatch {
  return new ArrivalWatch({
    ask: async (samples) => {
      const found = await project.ask((asked) => arrivedEvents(asked, samples))
      await warnings?.look()
      return found
    },
    clock: systemClock,
    shownFrom: project.retention?.firstDay,
    ...watch,
  })
}

/** Without a personal key nobody tells whose the project key is, but whether a project has it. A WrongKey if none has. */
export async function keyIsKnown(
  { transport, projectKey }: { readonly transport: Transport; readonly projectKey: Secret },
  { drain }: Pick<Io, 'drain'>,
  note: (text: string) => void,
): Promise<void> {
  const tried = await tryProjectKey(transport, projectKey, drain.over)
  if (tried === 200) return
  if (tried === 401) throw new WrongKey(`no project has the project key from ${projectKey.from}`)
  const why = typeof tried === 'number' ? `/flags/ answered ${tried}` : tried
  note(`could not tell whether a project has the project key: ${why}`)
}

/** Asks the API something, for a limited time: also one that ends with the time of a run that stops. */
export function question<T>(
  settings: ApiSettings,
  { interrupted, drain }: Pick<Io, 'interrupted' | 'drain'>,
  ask: (api: Api) => Promise<T>,
  timeoutMs = ANSWER_MS,
): Promise<T> {
  return askInTime(settings, { interrupted, over: drain.over, timeoutMs }, ask)
}
