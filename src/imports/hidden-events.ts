import { PosthaulError } from '../errors.ts'
import type { GuardFacts } from '../guards/guard.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import { apiSettingsIfAny, type ReaderValues } from '../options/service-settings.ts'
import type { Head } from '../record/head.ts'
import { headName } from '../record/head.ts'
import { MOST_NAMES } from '../record/notes.ts'
import { dayOf, dayText } from '../record/time.ts'
import type { Api } from '../service/api.ts'
import { type Retention, retentionOf } from '../service/retention.ts'
import { readArrival } from '../store/arrival.ts'
import { readEventsManifest } from '../store/dataset.ts'
import type { EventsManifest } from '../store/manifest.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'

type HiddenFacts = Pick<GuardFacts, 'hidden'>

/** What a project that shows events for so long hides of a dataset. */
export async function hiddenOfDataset(
  store: Store,
  manifest: Pick<EventsManifest, 'days' | 'arrival'>,
  retention: Retention | undefined,
): Promise<HiddenFacts> {
  if (!retention) return {}
  const { days } = manifest
  const names = new Map<string, number>()
  const isHidden = (day: string) => day < retention.firstDay
  if (Object.keys(days).some(isHidden))
    for await (const cells of readArrival(store, manifest))
      for (const { day, event, count } of cells)
        if (isHidden(day) && event !== null) addTo(names, event, count)
  return { hidden: { retention, days, names, isOfFiles: false } }
}

function addTo(names: Map<string, number>, name: string, count: number): void {
  if (names.has(name) || names.size < MOST_NAMES) names.set(name, (names.get(name) ?? 0) + count)
}

/** Counts the events of files that a project hides, line by line. */
export class HiddenOfFiles {
  readonly #retention: Retention
  readonly #days = new Map<string, number>()
  readonly #names = new Map<string, number>()

  constructor(retention: Retention) {
    this.#retention = retention
  }

  look(line: Buffer, head: Head): void {
    const day = dayText(dayOf(head.instant))
    if (day >= this.#retention.firstDay) return
    this.#days.set(day, (this.#days.get(day) ?? 0) + 1)
    addTo(this.#names, headName(line, head), 1)
  }

  get facts(): HiddenFacts {
    const days = Object.fromEntries(this.#days)
    return { hidden: { retention: this.#retention, days, names: this.#names, isOfFiles: true } }
  }
}

/** Asks a project what it hides. `unasked` is told why it can't be asked. */
export async function askRetention(
  api: Api,
  projectId: string,
  unasked: (what: string) => void,
): Promise<Retention | undefined> {
  const { projectById } = await import('../service/key-owner.ts')
  try {
    return retentionOf(await projectById(api, projectId), Date.now())
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    unasked(`whether the project hides old events: ${error.message}`)
    return undefined
  }
}

/** What the project hides, for those who only look: nothing where nobody can be asked. */
export async function foreseeRetention(
  options: Options<ReaderValues>,
  io: Io,
): Promise<Retention | undefined> {
  try {
    const settings = await apiSettingsIfAny(options, io.stdin)
    if (!settings) return undefined
    const [{ chooseProject }, { question }] = await Promise.all([
      import('../service/key-owner.ts'),
      import('./import-guards.ts'),
    ])
    const ask = async (api: Api) => askRetention(api, await chooseProject(api), () => undefined)
    return await question(settings, io, ask)
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    return undefined
  }
}

/** What the project would hide of a dataset. */
export async function foreseeHidden(
  path: string,
  options: Options<ReaderValues>,
  io: Io,
): Promise<HiddenFacts> {
  const retention = await foreseeRetention(options, io)
  if (!retention) return {}
  const store = await openStore(path)
  return hiddenOfDataset(store, await readEventsManifest(store), retention)
}
