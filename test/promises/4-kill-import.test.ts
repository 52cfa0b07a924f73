import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { writeDataset } from '../helpers/dataset.ts'
import { eventLine, identity, makeEvent, type TestEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { importUnderKills } from '../helpers/import-kills.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { fileSandbox } from '../helpers/sandbox-env.ts'

const seed = seedOf('kills')
const KILLS = kills({ few: 3, many: 8 })
const EVENTS = kills({ few: 800, many: 2400 })
const A_DAY = EVENTS / 4
const BAD = EVENTS / 40
const FAULTS = ['reset:0.01', 'lost:0.01', '503:0.01', 'partial:0.01', '413:events=6,0.02']
const LIFTED = ['--approved', '--max-events-per-minute', '100000000', '--batch-events', '10']

const sandbox = await fileSandbox({ seed })

async function stored(prefix: string): Promise<string[]> {
  const { results } = await sandbox.query(
    `SELECT uuid, event, distinct_id, toString(toDate(timestamp)) FROM events WHERE startsWith(distinct_id, '${prefix}')`,
  )
  return results.map((row) => row.join(' ')).sort()
}

function history(prefix: string): TestEvent[] {
  return Array.from({ length: EVENTS }, (_, n) => {
    const event = makeEvent(n, { day: 1 + Math.floor(n / A_DAY), ids: 50 })
    return {
      ...event,
      distinct_id: `${prefix}${event.distinct_id}`,
      uuid: event.uuid.replace('4000', prefix === 'f-' ? '4001' : '4002'),
    }
  })
}

async function kill(argv: readonly string[]) {
  sandbox.setFaults(FAULTS, seed)
  const ended = await importUnderKills({
    argv: ['import', ...argv, ...LIFTED],
    env: { POSTHOG_PROJECT_API_KEY: sandbox.projectKey, POSTHOG_INGEST_HOST: sandbox.url },
    kills: KILLS,
    requests: () => sandbox.stats().requests,
    random: seeded(seed),
  })
  expect(ended.stderr).not.toContain(sandbox.projectKey)
  return ended
}

test(`promise 4: ${KILLS} kills of an import of a file; all arrives, no reject is lost or written twice`, async () => {
  const path = join(testFolder(), 'events.ndjson')
  const events = history('f-')
  const lines = events.flatMap((event, n) =>
    n % 40 === 7 ? [`bad ${n}`, eventLine(event)] : [eventLine(event)],
  )
  writeFileSync(path, `${lines.join('\n')}\n`)

  const { code, stderr } = await kill(['--file', path])

  // 3 when the last run has made a reject, 0 when all were made by the runs that were killed.
  expect([0, 3], stderr).toContain(code)
  const [read, written] = [EVENTS + BAD, EVENTS].map((count) => count.toLocaleString('en'))
  expect(stderr.replaceAll(/ +/g, ' ')).toMatch(
    new RegExp(
      `read ${read}\\n written ${written} .*\\n rejected ${BAD} .*\\n filtered 0\\n duplicate 0\\n pending 0\\n`,
    ),
  )
  expect(await stored('f-')).toEqual(events.map(identity).sort())
  const rejects = readFileSync(`${path}.rejects.ndjson`, 'utf8').trim().split('\n')
  expect(rejects.map((line) => JSON.parse(line).record)).toEqual(
    lines.filter((line) => line.startsWith('bad')),
  )
  // No other file is left: no lock, no draft, no partial file. Rejects that no checkpoint counted are the exception: a
  // later run moves them to a file of their own; and the pace, which a run that delivers something writes.
  expect(
    readdirSync(dirname(path))
      .filter((name) => !name.startsWith('.') && !/\.rejects\.ndjson\.old\d*$|\.pace\.ndjson$/.test(name))
      .sort(),
  ).toEqual([
    'events.ndjson',
    'events.ndjson.checkpoint.json',
    'events.ndjson.checkpoint.json.previous',
    'events.ndjson.rejects.ndjson',
  ])
})

test(`promise 4: ${KILLS} kills of an import of a dataset over three lanes; all arrives`, async () => {
  const folder = join(testFolder(), 'events')
  const events = history('d-')
  const day = (n: number) => events.slice(n * A_DAY, n * A_DAY + A_DAY)
  await writeDataset(folder, [
    { file: '2024-01-01.ndjson', events: day(0) },
    { file: '2024-01-02.ndjson.gz', events: day(1) },
    { file: '2024-01-03.ndjson', events: day(2).slice(0, 250) },
    { file: '2024-01-03.0001.ndjson', events: day(2).slice(250) },
    { file: '2024-01-04.ndjson', events: day(3) },
  ])

  const { code, stderr } = await kill(['--dataset', folder, '--lanes', '3'])

  expect(code, stderr).toBe(0)
  expect(await stored('d-')).toEqual(events.map(identity).sort())
  expect(existsSync(`${folder}.rejects.ndjson`)).toBe(false)
})
