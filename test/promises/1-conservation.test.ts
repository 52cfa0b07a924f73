import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeHistory } from '../../src/commands/demo/demo-history.ts'
import { type Ended, signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { fileSandbox } from '../helpers/sandbox-env.ts'

const sandbox = await fileSandbox()

function env(): Record<string, string> {
  const { url, projectKey } = sandbox
  return { POSTHOG_HOST: url, POSTHOG_INGEST_HOST: url, POSTHOG_PROJECT_API_KEY: projectKey }
}

/** The counts of a run's summary, after checking that nothing disappeared. */
function countsOf({ stdout }: Ended): Record<string, number> {
  const { counts } = JSON.parse(stdout) as { counts: Record<string, number> }
  const { read, written, rejected, filtered, duplicate, pending } = counts
  expect(read).toBe(written! + rejected! + filtered! + duplicate! + pending!)
  return counts
}

/** The counts of the summary in words, checked in the same way. */
function countsInWords(ended: Ended, stream: 'stdout' | 'stderr' = 'stderr'): number[] {
  const { [stream]: said } = ended
  const counts = ['read', 'written', 'rejected', 'filtered', 'duplicate', 'pending'].map((word) => {
    const row = new RegExp(`^ +${word} +([\\d,]+)`, 'm').exec(said)
    expect(row, said).not.toBeNull()
    return Number(row![1]!.replaceAll(',', ''))
  })
  const [read, ...others] = counts
  expect(read).toBe(others.reduce((sum, n) => sum + n, 0))
  return counts
}

function writeHistory(folder: string, events: number): string {
  const file = join(folder, 'history.ndjson')
  writeFileSync(file, `${makeHistory(events, 5).join('\n')}\n`)
  return file
}

const transform = (file: string, out: string, ...more: string[]) => [
  ...['transform', '--preset', 'mixpanel', '--in', file, '--out', out, '--json', ...more],
]
const fast = ['--approved', '--max-events-per-minute', '1000000', '--json']

test('transform: done with rejects, filtered and duplicates; what it wrote is what the files hold', async () => {
  const folder = testFolder()
  const file = writeHistory(folder, 3000)
  const map = join(folder, 'map.yaml')
  writeFileSync(map, 'events: { drop: [Invite Sent] }\n')
  const ended = await exits(3, runHosted(transform(file, join(folder, 'events'), '--map', map)))
  const counts = countsOf(ended)
  expect(counts.read).toBe(readFileSync(file, 'utf8').trimEnd().split('\n').length)
  for (const some of ['written', 'rejected', 'filtered', 'duplicate']) expect(counts[some]).toBeGreaterThan(0)
  const manifest = JSON.parse(readFileSync(join(folder, 'events', 'manifest.json'), 'utf8'))
  const lines = (manifest.parts as { file: string }[]).flatMap((part) =>
    readFileSync(join(folder, 'events', part.file), 'utf8')
      .trimEnd()
      .split('\n'),
  )
  expect(lines.length).toBe(counts.written! + counts.generated!)
  const rejects = readFileSync(join(folder, 'events', 'rejects.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
  expect(rejects.length).toBe(counts.rejected)
})

test('transform: a dry run, and a run that its sample stops', async () => {
  const folder = testFolder()
  const file = writeHistory(folder, 500)
  const dry = await runHosted(transform(file, join(folder, 'none'), '--dry-run'))
  expect(countsOf(dry).written).toBe(0)
  const inWords = await runHosted(['transform', '--preset', 'mixpanel', '--in', file, '--dry-run'])
  expect(countsInWords(inWords, 'stdout')[0]).toBe(countsOf(dry).read)
  const stopped = await exits(2, runHosted(transform(file, join(folder, 'none'), '--max-reject-ratio', '0')))
  expect(countsOf(stopped)).toMatchObject({ written: 0, rejected: 5 })
})

test('transform: interrupted', async () => {
  const folder = testFolder()
  const file = writeHistory(folder, 40_000)
  const out = join(folder, 'events')
  // The summary must add up at any moment after the start, including the end.
  const isUnderWay = () => existsSync(join(out, '.posthaul-transform', 'job.json'))
  const ended = await signalWhen(startCli(transform(file, out)), 'SIGTERM', isUnderWay)
  expect([143, 3]).toContain(ended.code)
  countsOf(ended)
})

test('import: done with rejects, a dry run, at the volume cap, without an answer', async () => {
  const folder = testFolder()
  const file = join(folder, 'events.ndjson')
  const good = Array.from({ length: 300 }, (_, i) =>
    JSON.stringify({
      event: 'e',
      timestamp: '2024-03-01T00:00:00Z',
      properties: { distinct_id: `u${i % 9}` },
    }),
  )
  writeFileSync(
    file,
    `${[...good, '{"event":', '{"event":"nobody","timestamp":"2024-03-01T00:00:00Z"}'].join('\n')}\n`,
  )

  const dry = await runHosted(['import', '--file', file, '--dry-run', '--json'], env())
  expect(countsOf(dry)).toMatchObject({ read: 302, rejected: 2, pending: 300 })

  const nobody = { ...env(), POSTHOG_HOST: 'http://127.0.0.1:1', POSTHOG_INGEST_HOST: 'http://127.0.0.1:1' }
  const elsewhere = ['--checkpoint', join(folder, 'elsewhere.json'), '--retry-for', '1s']
  const unanswered = await exits(5, runHosted(['import', '--file', file, ...fast, ...elsewhere], nobody))
  expect(countsOf(unanswered).written).toBe(0)

  const capped = await exits(5, runHosted(['import', '--file', file, ...fast, '--max-events', '120'], env()))
  expect(countsOf(capped).written).toBe(120)

  const again = await runHosted(['import', '--file', file, '--dry-run'], env())
  expect(countsInWords(again, 'stdout')[0]).toBe(302)
  const done = await exits(3, runHosted(['import', '--file', file, ...fast], env()))
  expect(countsOf(done)).toMatchObject({ read: 302, written: 300, rejected: 2, pending: 0 })
})

test('import: interrupted', async () => {
  const folder = testFolder()
  const file = writeHistory(folder, 20_000)
  const out = join(folder, 'events')
  await exits(3, runHosted(transform(file, out)))
  const before = sandbox.stats().requests
  // Batches of 100 at the default cap: the signal comes after the first, and there are more.
  const cli = startCli(['import', '--dataset', out, '--json'], env())
  const ended = await exits(
    130,
    signalWhen(cli, 'SIGINT', () => sandbox.stats().requests > before),
  )
  // What is left to send is all of the dataset that was not sent, not only what was read ahead.
  const { read, pending } = countsOf(ended)
  expect(pending).toBeGreaterThan(0)
  const { parts } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as {
    parts: { events: number }[]
  }
  expect(read).toBe(parts.reduce((sum, { events }) => sum + events, 0))
})

test('transform: records that become several events each; mended rejects make only what was missing', async () => {
  const folder = testFolder()
  const visit = (idVisit: number, actionDetails: unknown) => ({
    ...{ idSite: 1, idVisit, visitorId: 'aaaaaaaaaaaaaaaa' },
    ...{ firstActionTimestamp: 1_709_287_200, lastActionTimestamp: 1_709_287_200, actionDetails },
  })
  const page = (pageId: number) => ({ type: 'action', pageId, timestamp: 1_709_290_800 })
  const records = [
    visit(1, [page(1), 7, page(2), { type: 'goal', goalId: 1, timestamp: 1_709_290_800 }]),
    visit(2, [page(3), page(3), { type: 'action', pageId: 4 }]),
    visit(3, []),
    visit(4, 'text'),
  ]
  const file = join(folder, 'visits.ndjson')
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const run = (input: string, out: string, ...more: string[]) =>
    runHosted(
      ['transform', '--preset', 'matomo', '--in', input, '--out', out, '--max-reject-ratio', '1'].concat(
        more,
      ),
    )
  const out = join(folder, 'events')
  const ended = await run(file, out, '--json')
  const summary = JSON.parse(ended.stdout)
  expect(countsOf(ended)).toMatchObject({ read: 9, written: 3, rejected: 3, filtered: 2, duplicate: 1 })
  const events = { made: 6, written: 3, rejected: 2, duplicate: 1, generated: 0 }
  const told = {
    records: { read: 4, mapped: 2, rejected: 1, filtered: 1 },
    children: { read: 7, filtered: 1 },
  }
  expect(summary).toMatchObject({ ...told, events: { ...events, pending: 0 } })
  expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))).toMatchObject({ ...told, events })
  const check = await runHosted(['check', out, '--json'])
  expect(JSON.parse(check.stdout).made_of).toEqual({ ...told, events })

  const rejects = readFileSync(join(out, 'rejects.ndjson'), 'utf8').trimEnd().split('\n')
  expect(rejects.map((line) => JSON.parse(line)).map(({ line, child }) => [line, child])).toEqual([
    [1, 2],
    [2, 3],
    [4, undefined],
  ])
  const mended = join(folder, 'mended.rejects.ndjson')
  writeFileSync(
    mended,
    `${rejects[1]!.replace('\\"pageId\\":4', '\\"pageId\\":4,\\"timestamp\\":1709290800')}\n`,
  )
  const again = await run(mended, join(folder, 'again'))
  expect(again.stderr).toMatch(/^ +records +1 +read\n +mapped +1\n/m)
  expect(again.stderr).toMatch(/^ +events +1 .*\n +written +1/m)
  expect(again.code).toBe(0)
})
