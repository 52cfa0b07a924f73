import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MigrationRun } from '../../../src/commands/run/migration-run.ts'
import { RunState } from '../../../src/commands/run/run-state.ts'
import type { Io } from '../../../src/io.ts'
import { parseMigration } from '../../../src/migration/migration-file.ts'
import type { StageEnd } from '../../../src/migration/stages.ts'
import { type RunStageName, stepsOf } from '../../../src/migration/stages.ts'
import { writeDataset } from '../../helpers/dataset.ts'
import { makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'
import { MemoryCell } from '../../helpers/memory-cell.ts'

/** A migration of files, whose stages end as they are told; a stage that is told nothing is done. */
function migrationOf() {
  const folder = testFolder()
  mkdirSync(join(folder, 'raw'))
  writeFileSync(join(folder, 'raw/a.ndjson'), '{}\n')
  const at = (path: string) => join(folder, path)
  const text =
    'source: { files: [raw/] }\nmapping: { preset: posthog }\nstore: store\ntarget: { region: eu }\n'
  const migration = parseMigration(text, 'migration.yaml', {})
  const [transform] = stepsOf(migration, 'files', [], at, '')
  const cell = new MemoryCell()
  const telemetry = { book: { enter() {}, know() {} }, note() {} }
  const io = { telemetry, interrupted: new AbortController().signal, env: {} } as unknown as Io
  return async (
    ends: Partial<Record<RunStageName, StageEnd>> = {},
    { isCounting = false, killedAfter = -1 } = {},
  ) => {
    const stages: string[] = []
    const runStage = async ({ stage }: { readonly stage: RunStageName }): Promise<StageEnd> => {
      stages.push(stage)
      if (stage === 'transform')
        await writeDataset(transform!.events, [{ file: '2024-01-01.ndjson', events: [makeEvent(1)] }])
      return ends[stage] ?? { code: 0, summary: { finished: true } }
    }
    const settings = {
      from: undefined,
      until: undefined,
      changed: undefined,
      stopAfterMs: undefined,
      runStage,
    }
    const run = new MigrationRun({ migration, at }, await RunState.open(cell), settings, io)
    let looks = 0
    const end = await run.run(async () => {
      if (looks++ === killedAfter) throw new Error('killed')
    })
    await run.tell(end)
    const { exit, stoppedInTime, counts, error } = end
    return { exit, stoppedInTime, stages, ...(isCounting && { counts, isKilled: error !== undefined }) }
  }
}

test('an import that stopped in time is not done: nothing is verified, and the next run goes on with it', async () => {
  const run = migrationOf()
  const inTime = { import: { code: 0, summary: { finished: false } } } as const
  expect(await run(inTime)).toEqual({
    exit: 0,
    stoppedInTime: true,
    stages: ['transform', 'check', 'import'],
  })
  expect(await run()).toEqual({ exit: 0, stoppedInTime: false, stages: ['import', 'verify'] })
  expect(await run()).toEqual({ exit: 0, stoppedInTime: false, stages: [] })
})

test('rejects are told once, whichever run made them, and counted by all', async () => {
  const ends = {
    transform: { code: 3, summary: { finished: true, counts: { written: 9, rejected: 2 } } },
    import: { code: 0, summary: { finished: true, counts: { written: 9, rejected: 0, pending: 0 } } },
  } as const
  // The number of stages that the first run gets through before it is stopped; it tells nobody of the rejects.
  for (let killedAfter = 1; killedAfter <= 3; killedAfter++) {
    const run = migrationOf()
    const first = await run(ends, { isCounting: true, killedAfter })
    expect([first.stages.length, first.isKilled]).toEqual([killedAfter, true])
    const counts = { written: 9, rejected: 2, pending: 0 }
    expect(await run(ends, { isCounting: true })).toMatchObject({ exit: 3, counts, isKilled: false })
    expect(await run(ends, { isCounting: true })).toMatchObject({ exit: 0, counts, stages: [] })
  }
  // A pause is told by its own code, and the rejects by the run that comes to the end.
  const run = migrationOf()
  const paused = {
    code: 5,
    summary: { finished: false, counts: { written: 4, rejected: 1, pending: 5 } },
  } as const
  expect(await run({ ...ends, import: paused }, { isCounting: true })).toMatchObject({
    exit: 5,
    counts: { written: 4, rejected: 3, pending: 5 },
  })
  expect(await run(ends)).toMatchObject({ exit: 3, stages: ['import', 'verify'] })
  expect(await run(ends)).toMatchObject({ exit: 0 })
})

test('events that were made are not told as sent where nothing was', async () => {
  const ends = {
    transform: { code: 0, summary: { finished: true, counts: { written: 9, rejected: 0 } } },
    check: { code: 3, summary: { finished: false } },
    import: { code: 3, summary: undefined },
  } as const
  expect(await migrationOf()(ends, { isCounting: true })).toMatchObject({ exit: 3, counts: null })
})

test('a stage that ends with an error ends the run with its code, and comes first in the next one', async () => {
  const run = migrationOf()
  const check = { check: { code: 3, summary: undefined } } as const
  expect(await run(check)).toEqual({ exit: 3, stoppedInTime: false, stages: ['transform', 'check'] })
  const verify = { verify: { code: 3, summary: { finished: true } } } as const
  expect(await run(verify)).toEqual({ exit: 3, stoppedInTime: false, stages: ['check', 'import', 'verify'] })
  // What is missing may have come meanwhile.
  expect(await run()).toEqual({ exit: 0, stoppedInTime: false, stages: ['verify'] })
})

test('the address for events goes the whole way with its host: an option for the host would be stronger', () => {
  const text = 'source: { files: [raw/] }\nmapping: { preset: posthog }\nstore: store\n'
  const target = 'target: { host: "https://ph.example.com", ingest_host: "https://in.example.com" }\n'
  const steps = stepsOf(parseMigration(text + target, 'migration.yaml', {}), 'files', [], (path) => path, '')
  for (const { argv, env } of steps.filter(({ stage }) => stage !== 'transform')) {
    expect(argv).not.toContain('--host')
    expect(env).toMatchObject({
      POSTHOG_HOST: 'https://ph.example.com',
      POSTHOG_INGEST_HOST: 'https://in.example.com',
      POSTHOG_REGION: '',
    })
  }
})
