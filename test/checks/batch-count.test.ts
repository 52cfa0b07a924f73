import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BatchCount } from '../../src/checks/batch-count.ts'
import { dryRun } from '../../src/delivery/dry-run.ts'
import { FileSource } from '../../src/delivery/file-source.ts'
import { EventLineReader } from '../../src/delivery/line-reader.ts'
import { burstOf } from '../../src/delivery/pacer.ts'
import { readHead } from '../../src/record/head.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'

test.each([
  ['days in order', 1, (n: number) => 1 + Math.floor(n / 150)],
  ['days in order, over four lanes', 4, (n: number) => 1 + Math.floor(n / 150)],
  ['mixed days', 1, (n: number) => 1 + (n % 2)],
  ['mixed days, over four lanes', 4, (n: number) => 1 + (n % 2)],
])('%s: check foresees the batches of a dry run', async (_, lanes, dayOf) => {
  const lines = Array.from({ length: 600 }, (_, n) => eventLine(makeEvent(n, { day: dayOf(n) })))
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  const pace = { perMinute: 10_000, lanes }
  const limits = { events: Math.min(1000, burstOf(pace)), bytes: 8_000_000 }
  const plan = await dryRun({
    source: await FileSource.open(path),
    reader: new EventLineReader('$groupidentify'),
    limits,
    pace,
    maxEvents: 1e6,
    via: 'batch',
    youngFrom: Number.POSITIVE_INFINITY,
    interrupted: new AbortController().signal,
  })
  const count = new BatchCount({ pace, limits })
  for (const line of lines.map((text) => Buffer.from(text))) count.add(line, readHead(line, 0, line.length)!)
  expect([plan.counts.pending, plan.batches]).toEqual([600, count.total()])
  expect(plan.mixedDays).toBe(dayOf(2) === dayOf(0) && dayOf(1) !== dayOf(0))
})
