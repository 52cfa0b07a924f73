import { GroupsSeen } from '../checks/groups-seen.ts'
import { type EventFiles, readEvents, rejectText } from '../checks/read-events.ts'
import { RulesSeen } from '../checks/rules-seen.ts'
import { UuidsSeen } from '../checks/uuids-seen.ts'
import { assertGoing, failureOf } from '../errors.ts'
import type { GuardFacts } from '../guards/guard.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import type { ReaderValues } from '../options/service-settings.ts'
import type { Head } from '../record/head.ts'
import { headName } from '../record/head.ts'
import { MOST_NAMES } from '../record/notes.ts'
import { dayOf, dayText } from '../record/time.ts'
import type { ProjectRules } from '../service/project-rules.ts'
import { type Retention, retentionOf } from '../service/retention.ts'
import { readArrival } from '../store/arrival.ts'
import { readEventsManifest } from '../store/dataset.ts'
import type { EventsManifest } from '../store/manifest.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { askProject } from './ask-project.ts'

/** What a project does to events that it has acknowledged: what it hides, and what it drops or changes. */
export interface Losses {
  readonly retention?: Retention | undefined
  readonly rules?: ProjectRules | undefined
  /** The shortest time in which the project answered, in milliseconds. */
  readonly answerMs?: number | undefined
}

type LossFacts = Pick<GuardFacts, 'hidden' | 'ruled'>

/** What a project does to the events of a dataset. Its parts are read only where names don't tell. Throws `interrupted`. */
export async function lossesOfDataset(
  { store, manifest: { days, arrival, parts } }: { readonly store: Store; readonly manifest: EventsManifest },
  { retention, rules }: Losses,
  interrupted: AbortSignal,
): Promise<LossFacts> {
  const names = new Map<string, number>()
  const isHidden = (day: string) => retention !== undefined && day < retention.firstDay
  const seen = new RulesSeen(rules?.rules ?? [])
  const unnamed = new Set(seen.needsIds ? Object.keys(days) : [])
  if (!seen.isEmpty || Object.keys(days).some(isHidden))
    for await (const cells of readArrival(store, { arrival }))
      for (const { day, event, count } of cells) {
        if (event === null) unnamed.add(day)
        else {
          if (!seen.needsIds) seen.add(event, count)
          if (isHidden(day)) addTo(names, event, count)
        }
      }
  if (!seen.isEmpty && unnamed.size > 0) {
    const { readParts } = await import('../store/read-parts.ts')
    const wanted = parts.filter(({ day }) => unnamed.has(day))
    await readParts(store, wanted, {
      each: (line, head) => seen.look(line, head),
      between: async () => assertGoing(interrupted),
    })
  }
  return factsOf({ retention, rules }, seen, { days, names, isOfFiles: false })
}

function factsOf(
  { retention, rules }: Losses,
  seen: RulesSeen,
  hidden: Omit<NonNullable<GuardFacts['hidden']>, 'retention'>,
): LossFacts {
  return {
    ...(retention && { hidden: { retention, ...hidden } }),
    ...(rules && { ruled: { events: seen.found, unread: rules.unread } }),
  }
}

function addTo(names: Map<string, number>, name: string, count: number): void {
  if (names.has(name) || names.size < MOST_NAMES) names.set(name, (names.get(name) ?? 0) + count)
}

/** Counts what a project does to the events of files, line by line. */
export type LossesOfFiles = ReturnType<typeof lossesOfFiles>

export function lossesOfFiles(losses: Losses) {
  const { retention, rules } = losses
  const seen = new RulesSeen(rules?.rules ?? [])
  const days = new Map<string, number>()
  const names = new Map<string, number>()
  return {
    look(line: Buffer, head: Head): void {
      seen.look(line, head)
      const day = retention && dayText(dayOf(head.instant))
      if (day === undefined || day >= retention!.firstDay) return
      days.set(day, (days.get(day) ?? 0) + 1)
      addTo(names, headName(line, head), 1)
    },
    facts: () => factsOf(losses, seen, { days: Object.fromEntries(days), names, isOfFiles: true }),
  }
}

/** What files of events hold, read once, as an import of them does, before the first of them is sent. `losses`: those of the project. Throws `interrupted`. */
export async function lookAtFiles(files: EventFiles, losses: Losses = {}) {
  const lost = lossesOfFiles(losses)
  const [groups, uuids] = [new GroupsSeen(), new UuidsSeen()]
  const { counts, rejects, reject } = await readEvents(files, (line, head, _, place) => {
    groups.look(line, head)
    uuids.look(line, head, place)
    lost.look(line, head)
  })
  const lines = { sent: counts.written, rejects, example: reject && rejectText(reject) }
  return { facts: { ...lost.facts(), lines, uuids: { kind: 'file' as const, ...uuids.total } }, groups }
}

/** The rules of a project. That nobody can ask is said in the answer, and is no failure. */
export async function rulesAsked(asking: Promise<ProjectRules>): Promise<ProjectRules> {
  return asking.catch((error: unknown) => ({
    rules: [],
    unread: [`its rules (${failureOf(error).message})`],
  }))
}

/** What the project does to events, for those who only look: undefined where nobody can be asked; others say why. */
export async function foreseeLosses(options: Options<ReaderValues>, io: Io): Promise<Losses | undefined> {
  const asking = askProject(options, io, async (project) => {
    const [{ projectById }, { projectRules }] = await Promise.all([
      import('../service/key-owner.ts'),
      import('../service/project-rules.ts'),
    ])
    // A project that doesn't answer this isn't asked four times more.
    const { api, projectId } = project
    const retention = retentionOf(await projectById(api, projectId), Date.now())
    const rules = await rulesAsked(projectRules(project))
    return { retention, rules, answerMs: api.answerMs }
  })
  return asking.catch((error: unknown) => void failureOf(error))
}

/** The same of a dataset that is not open. */
export async function lossesIn(path: string, losses: Losses, { interrupted }: Pick<Io, 'interrupted'>) {
  const store = await openStore(path)
  return lossesOfDataset({ store, manifest: await readEventsManifest(store) }, losses, interrupted)
}
