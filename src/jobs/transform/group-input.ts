import type { GroupsSeen, TypeToSend } from '../../checks/index.ts'
import { PosthaulError } from '../../errors.ts'
import { GROUP_EVENT, parseTime } from '../../record/index.ts'
import { openStore } from '../../store/index.ts'
import type { ImportInput } from '../import/import-order.ts'
import type { FileRules } from '../verify/verify-inputs.ts'

/** The groups of what is to be imported. */
export interface GroupInput {
  /** What the manifest says; undefined where only a pass over all events tells. */
  readonly known: ReadonlyMap<string, TypeToSend> | undefined
  /** The UTC days of its events. */
  readonly days: readonly string[]
  /** Reads the events, of a dataset those of `days`. Throws `interrupted`. */
  read(seen: GroupsSeen, pass: GroupPass, days?: ReadonlySet<string>): Promise<void>
}

export interface GroupPass {
  readonly signal: AbortSignal
  /** Called before `total` bytes are read. */
  readonly progress: (total: number) => { add(bytes: number): void; stop(): void }
}

/** Opens the input of an import, to look at its groups. */
export async function groupInputOf(input: ImportInput, rules: FileRules): Promise<GroupInput> {
  return input.kind === 'dataset' ? ofDataset(input.path) : ofFiles(input.files, rules)
}

async function ofDataset(path: string): Promise<GroupInput> {
  const { readEventsManifest } = await import('../../store/dataset.ts')
  const store = await openStore(path)
  const manifest = await readEventsManifest(store)
  const { groups, group_types, version_1, parts } = manifest
  // Manifests of earlier versions say which types are named, but not on how many events PostHog shows them.
  const isGroupless = version_1 === undefined && Object.keys(group_types).length === 0
  const counted = groups ?? (isGroupless ? {} : undefined)
  const known =
    counted &&
    new Map(
      Object.entries(counted).map(([type, { events, oldest }]) => [
        type,
        { events, oldest: parseTime(oldest) },
      ]),
    )
  return {
    known,
    days: Object.keys(manifest.days),
    async read(seen, { signal, progress }, days = new Set(Object.keys(manifest.days))) {
      const wanted = parts.filter(({ day }) => days.has(day))
      const shown = progress(wanted.reduce((sum, { bytes }) => sum + bytes, 0))
      const between = async () => {
        if (signal.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
      }
      const { readParts } = await import('../../store/read-parts.ts')
      try {
        for (const part of wanted) {
          await readParts(store, [part], { each: (line, head) => seen.look(line, head), between })
          shown.add(part.bytes)
        }
      } finally {
        shown.stop()
      }
    },
  }
}

async function ofFiles(files: readonly string[], rules: FileRules): Promise<GroupInput> {
  const { eventFileReader, openEventFiles } = await import('../import/event-files.ts')
  return {
    known: undefined,
    days: [],
    async read(seen, { signal, progress }) {
      const source = await openEventFiles(files)
      const shown = progress(source.totalBytes)
      const open = async () => ({
        source,
        reader: eventFileReader({ groupEventName: GROUP_EVENT, ...rules }),
      })
      const { readEvents } = await import('../../checks/read-events.ts')
      const passed = readEvents({ open, interrupted: signal, progress: shown.add }, (line, head) =>
        seen.look(line, head),
      )
      await passed.finally(shown.stop)
    },
  }
}
