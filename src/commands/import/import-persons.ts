import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type KeepOptions, KeepPersons } from '../../checks/persons/keep.ts'
import { PERSONS_FOLDER, personService } from '../../checks/persons/live.ts'
import type { SnapshotPlace } from '../../checks/persons/snapshot.ts'
import type { CheckpointState } from '../../delivery/checkpoint.ts'
import type { InputSource } from '../../delivery/intake.ts'
import { earliest } from '../../delivery/place.ts'
import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import { openApi } from '../../imports/api-session.ts'
import type { KnownProject } from '../../imports/import-guards.ts'
import type { ImportOrder } from '../../imports/import-order.ts'
import type { StatePlace } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { arrivedEvents, type Wanted } from '../../service/arrived-events.ts'
import { openStore } from '../../store/open.ts'
import { scratchFolder } from '../../store/ownership.ts'
import type { S3StoreOptions } from '../../store/s3.ts'
import { isS3 } from '../../store/s3-location.ts'
import type { Advance } from '../../telemetry/eta.ts'
import { MS_PER_MINUTE } from '../../text/units.ts'
import { VERSION } from '../../version.ts'
import { OwnLines } from './own-lines.ts'

/** How long the last events may take to arrive, if the watch over arrival is off. */
const WAIT_MS = 30 * MS_PER_MINUTE

/** What is kept of persons during one run of an import, until it is closed. */
export type KeptPersons = NonNullable<Awaited<ReturnType<typeof keepPersons>>>

interface KeepRequest {
  readonly order: ImportOrder
  readonly project: KnownProject | undefined
  /** No personal key is set. */
  readonly keyless: boolean
  readonly source: InputSource
  /** What the import's earlier runs did. */
  readonly saved: CheckpointState | undefined
  readonly target: CheckpointState['target']
  readonly open: KeepOptions['input']['open']
  readonly note: (text: string) => void
}

/** What an import keeps of persons; undefined if it is told not to, or can't ask the project. */
export async function keepPersons(request: KeepRequest, io: Io) {
  const { project, source, saved, target, note } = request
  const { place, guards, persons } = request.order
  if (persons.keep === false) return undefined
  if (!project) {
    if (persons.keep) throw noPersonalKey()
    if (!saved && request.keyless) note(NOT_KEPT)
    return undefined
  }
  // Questions end with the run: by a signal at once, else with the requests under way.
  const over = AbortSignal.any([io.interrupted, io.drain.over])
  const api = openApi(project.settings, { interrupted: over, telemetry: io.telemetry })
  const asked = { api, projectId: project.id }
  const snapshots = await snapshotPlace(place.at, place)
  const folder = await scratchFolder(PERSONS_FOLDER)
  const { totalBytes } = source
  const lines = new OwnLines(VERSION, place.checkpointPath)
  let doneBytes = totalBytes
  const keep = new KeepPersons({
    service: personService(asked),
    asked: persons.keep === true,
    arrived: async (events) => {
      // Those that the project hides can't be waited for.
      const isHidden = ({ day }: Wanted) => day < (project.retention?.firstDay ?? '')
      const hidden = events.filter(isHidden).map(({ uuid }) => uuid)
      const shown = events.filter((event) => !isHidden(event))
      const found = shown.length > 0 ? await arrivedEvents(asked, shown) : []
      return new Set([...hidden, ...found])
    },
    input: {
      open: () => {
        doneBytes = 0
        return request.open()
      },
      progress: (bytes) => {
        doneBytes += bytes
      },
    },
    place: snapshots,
    target,
    line: (event) => lines.line(event),
    folder,
    state: {
      begun: (saved?.counts.delivered ?? 0) > 0,
      // An earlier run sent all that the input has.
      finished: !place.restart && saved?.done === true && source.totalBytes <= saved.input.size,
      ...(!place.restart && saved?.done && { ended: earliest(saved.places) }),
    },
    waitMs: guards.arrivalWaitMs || WAIT_MS,
    clock: systemClock,
    note,
  })
  return {
    keep,
    /** How much of the input is read, while it is read for its persons. */
    get reading(): Advance | undefined {
      return doneBytes < totalBytes ? { doneBytes, totalBytes } : undefined
    },
    close: async () => {
      await api.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const NOT_KEPT =
  'no personal key: persons that the project has already get the browser and the place of the history ' +
  '(docs/persons.md)'

function noPersonalKey(): PosthaulError {
  return new PosthaulError('--keep-persons yes has to ask the project for its persons', {
    code: 'usage',
    hint: 'set POSTHOG_PERSONAL_API_KEY (scopes project:read and query:read)',
  })
}

/** Where the snapshot is: in a folder beside the checkpoint. */
async function snapshotPlace(
  { location, stem }: StatePlace,
  options?: S3StoreOptions,
): Promise<SnapshotPlace> {
  const name = `${stem}.persons`
  if (isS3(location)) return { store: await openStore(location, options), prefix: `${name}/` }
  return { store: await openStore(join(location, name)), prefix: '' }
}
