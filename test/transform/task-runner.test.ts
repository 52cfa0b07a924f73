import { existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import type { Job } from '../../src/transform/job.ts'
import { Journal } from '../../src/transform/journal.ts'
import { KINDS } from '../../src/transform/run/frame.ts'
import { RunWriter } from '../../src/transform/run/writer.ts'
import { TaskRunner } from '../../src/transform/task-runner.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'

/** Called before a file is removed. */
const removing = vi.hoisted(() => ({ look: (_path: string): void => {} }))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const rmSync: typeof fs.rmSync = (path, options) => {
    removing.look(String(path))
    fs.rmSync(path, options)
  }
  return { ...fs, rmSync }
})

test('the runs of a day are removed only when its result is noted: killed before, it is sealed again', async () => {
  const folder = testFolder()
  const [work, out] = [join(folder, 'work'), join(folder, 'events')]
  for (const path of [work, out]) mkdirSync(path)
  const day = Date.UTC(2024, 0, 1) / 86_400_000
  const runs = new RunWriter(work, 'unit-000000')
  runs.lines.copy(Buffer.from(eventLine(makeEvent(1))), 0, eventLine(makeEvent(1)).length)
  runs.add(day * 86_400_000_000, 0, KINDS.own)
  runs.flush()
  const segments = runs.segments.map((segment) => ({ ...segment, alone: true }))
  const job = { preset: 'mixpanel', mapping: NO_MAPPING, gzip: false, out, work, inputs: [], units: [] }
  const removed: [name: string, isNoted: boolean, isSealed: boolean][] = []
  removing.look = (path) => {
    if (!path.endsWith('.run')) return
    const isNoted = new Journal(work).result(`day-${day}`) !== undefined
    removed.push([basename(path), isNoted, existsSync(join(out, '2024-01-01.ndjson'))])
  }
  const runner = new TaskRunner(job as unknown as Job, new AbortController().signal, new Journal(work))
  await runner.run({ type: 'seal', day, segments, known: [] }, () => {})
  expect(removed).toEqual([['unit-000000-0.run', true, true]])
})
