import type { Turn } from '../../src/delivery/account.ts'
import { FileSource } from '../../src/delivery/file-source.ts'
import { ImportRun } from '../../src/delivery/import-run.ts'
import { ImportState } from '../../src/delivery/import-state.ts'
import { Ledger } from '../../src/delivery/ledger.ts'
import { FileLineReader } from '../../src/delivery/line-reader.ts'
import type { DeliveryOutcome } from '../../src/delivery/outcome.ts'
import type { RunOptions } from '../../src/delivery/run-parts.ts'
import { fileCell } from '../../src/state/cell.ts'
import { ENVELOPE, type FakePost } from './fake-post.ts'
import { FakeV1 } from './fake-v1.ts'
import { mapperForFiles } from './mapper.ts'
import { seeded } from './random.ts'
import { SleepyClock } from './sleepy-clock.ts'

/** The options of a run that a test sets. All others are those of a plain `posthaul import`, with very high caps. */
export type RunSetup = { readonly path: string; readonly post: FakePost } & Partial<
  Omit<RunOptions, 'post' | 'envelope' | 'turn'>
> & { readonly turn?: Partial<Turn> }

/** The state of an import of this input, as `import` names it. */
export function statePaths(path: string) {
  return {
    checkpoint: `${path}.checkpoint.json`,
    rejects: `${path}.rejects.ndjson`,
    own: `${path}.own.ndjson`,
  }
}

const TARGET = { host: 'http://127.0.0.1:1', key: 'fingerprint' }

/** A turn that nobody takes away, with a ledger beside the input. */
function turnOf(path: string): Turn {
  return {
    ledger: new Ledger(fileCell(`${path}.ledger.json`), TARGET),
    checkpoint: statePaths(path).checkpoint,
    newMigration: false,
    look: async () => {},
    lookAtState: async () => {},
  }
}

/** Runs an import of a file in this process. */
export async function importFile(setup: RunSetup): Promise<DeliveryOutcome> {
  return (await openImport(setup)).run()
}

/** As importFile, up to the moment the run begins. */
export async function openImport({ path, post, turn, ...rest }: RunSetup): Promise<ImportRun> {
  return ImportRun.open({
    state: ImportState.local(statePaths(path)),
    source: rest.source ?? (await FileSource.open(path)),
    reader: new FileLineReader(mapperForFiles()),
    post,
    v1: new FakeV1(),
    envelope: ENVELOPE,
    target: TARGET,
    turn: { ...turnOf(path), ...turn },
    restart: false,
    rules: 'posthog 2.1',
    lanes: 1,
    limits: { events: 100, bytes: 8 * 1024 * 1024 },
    caps: { perMinute: 1e9, events: 1e9, approved: true },
    retryForMs: 3_600_000,
    acceptRefusals: false,
    stopAfterMs: undefined,
    clock: new SleepyClock(),
    random: seeded(1),
    interrupted: new AbortController().signal,
    drain: { over: new AbortController().signal, begin: () => undefined },
    note: () => undefined,
    command: ['import', '--file', path],
    retrying: () => undefined,
    ...rest,
  })
}
