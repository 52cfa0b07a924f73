import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'

const WHO = { distinct_id: 'u1', timestamp: '2024-03-01T12:00:00Z' }

let made = 0

/** An event in the service's own form, another one each time. */
function event(over: Record<string, unknown> = {}): string {
  const n = made++
  return JSON.stringify({ event: 'E', ...WHO, distinct_id: `u${n}`, properties: { n }, ...over })
}

/** Lines that can't be sent, and why. */
const BAD: ReadonlyArray<readonly [reason: string, line: string]> = [
  ['bad_json', '{"event": oops'],
  ['bad_json', event().replace('"E"', 'NaN')],
  ['bad_utf8', event({ event: '\xff' })],
  ['trailing_bytes', `${event()} ${event()}`],
  ['not_an_object', `[${event()}]`],
  ['not_an_object', '42'],
  ['too_deep', event({ properties: 0 }).replace(':0}', `:${'{"a":'.repeat(1000)}1${'}'.repeat(1001)}`)],
  ['event_missing', event({ event: undefined })],
  ['event_missing', event({ event: '' })],
  ['event_not_text', event({ event: 5 })],
  ['distinct_id_missing', event({ distinct_id: undefined })],
  ['distinct_id_missing', event({ distinct_id: null })],
  ['distinct_id_missing', event({ distinct_id: '' })],
  ['distinct_id_too_long', event({ distinct_id: 'x'.repeat(201) })],
  ['timestamp_missing', event({ timestamp: undefined })],
  ['timestamp_not_text', event({ timestamp: 1_709_296_496 })],
  ['timestamp_unparsable', event({ timestamp: 'yesterday' })],
  ['timestamp_unparsable', event({ timestamp: '2024-03-01T25:61:00Z' })],
  ['timestamp_too_old', event({ timestamp: '1970-01-01T05:00:00Z' })],
  ['timestamp_in_future', event({ timestamp: '2090-01-01T00:00:00Z' })],
  ['uuid_invalid', event({ uuid: 'nope' })],
  ['merge_not_allowed', event({ event: '$merge_dangerously' })],
  ['identity_of_nobody', event({ event: '$identify', distinct_id: 'undefined' })],
  ['properties_not_an_object', event({ properties: [1] })],
  ['event_too_large', event({ properties: { text: 'x'.repeat(900_000) } })],
  ['line_too_long', event({ properties: { text: 'x'.repeat(17 * 1024 * 1024) } })],
  ['bad_json', '{"event":"cut","distinct_id":"u","timestamp":"2024-03-0'],
]

test('every bad line is the same reject of transform and import, as it was, and the good ones between arrive', async () => {
  const sandbox = await testSandbox()
  const folder = testFolder()
  const [path, out] = [join(folder, 'in.ndjson'), join(folder, 'out')]
  const lines = BAD.flatMap(([reason, line]) => [
    Buffer.from(`${event()}\n`),
    Buffer.from(`${line}\n`, reason === 'bad_utf8' ? 'latin1' : 'utf8'),
  ])
  const bytes = Buffer.concat(lines).subarray(0, -1)
  writeFileSync(path, bytes)
  const words = ['--preset', 'posthog', '--in', path, '--out', out, '--max-reject-ratio', '1', '--json']
  const transformed = await exits(3, runHosted(['transform', ...words]))
  expect(JSON.parse(transformed.stdout).mend_command).toContain('posthaul transform')
  const { rejects, manifest } = readSoundDataset(out)
  expect(manifest.records).toMatchObject({ read: 2 * BAD.length, mapped: BAD.length, rejected: BAD.length })
  expect(rejects.map(({ line, reason }) => [line, reason])).toEqual(
    BAD.map(([reason], at) => [2 * at + 2, reason]),
  )
  for (const [at, { reason, offset, record }] of rejects.entries()) {
    if (reason === 'line_too_long') expect(record).toBeNull()
    else if (reason !== 'bad_utf8') {
      expect(record).toBe(BAD[at]![1])
      expect(bytes.toString('utf8', offset, offset + Buffer.byteLength(record!))).toBe(record)
    }
  }
  const imported = await exits(3, runHosted(['import', '--file', path, '--json'], sandboxEnv(sandbox)))
  expect(JSON.parse(imported.stdout).counts).toMatchObject({ written: BAD.length, rejected: BAD.length })
  const told = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ line, offset, reason, record }) => [line, offset, reason, record])
  expect(told(readFileSync(`${path}.rejects.ndjson`, 'utf8'))).toEqual(
    told(readFileSync(join(out, 'rejects.ndjson'), 'utf8')),
  )
})

/** Lines that the two ways in once answered differently, and what both answer now. */
const LINES: ReadonlyArray<readonly [answer: string, line: object]> = [
  ['merge_not_allowed', { event: '$merge_dangerously', properties: { alias: 'u2' }, ...WHO }],
  ['dropped_by_service', { event: '$performance_event', ...WHO }],
  ['distinct_id_not_text', { event: 'e', ...WHO, distinct_id: true }],
  ['set_not_an_object', { event: 'e', ...WHO, $set: 'text' }],
  ['event', { event: 'e', ...WHO, team_id: 2, properties: null }],
]

interface Summary {
  readonly counts: Readonly<Record<string, number>>
  readonly rejects: Readonly<Record<string, number>>
  readonly filtered: Readonly<Record<string, number>>
  readonly ignored_members: Readonly<Record<string, number>>
}

function answers({ counts, rejects, filtered, ignored_members }: Summary) {
  const { read, rejected, filtered: left } = counts
  return { read, rejected, left, rejects, filtered, ignored_members }
}

test('transform and import give a line one answer', async () => {
  const folder = testFolder()
  const path = join(folder, 'events.ndjson')
  writeFileSync(path, LINES.map(([, line]) => `${JSON.stringify(line)}\n`).join(''))
  const out = join(folder, 'events')
  const [made, sent] = await Promise.all([
    runHosted([
      ...['transform', '--preset', 'posthog', '--in', path, '--out', out, '--max-reject-ratio', '1'],
      '--json',
    ]),
    runHosted(['import', '--file', path, '--dry-run', '--json']),
  ])
  const [ofTransform, ofImport] = [made, sent].map(({ stdout }) => answers(JSON.parse(stdout) as Summary))
  expect(ofImport).toEqual(ofTransform)
  const expected = LINES.map(([answer]) => answer).filter((answer) => answer !== 'event')
  expect({ ...ofImport!.rejects, ...ofImport!.filtered }).toEqual(
    Object.fromEntries(expected.map((reason) => [reason, 1])),
  )
  expect(ofImport!.ignored_members).toEqual({ team_id: 1 })
  const [event] = readFileSync(join(out, '2024-03-01.ndjson'), 'utf8').trim().split('\n')
  expect(JSON.parse(event!).properties).toMatchObject({
    $geoip_disable: true,
    $lib: 'posthaul',
    analytics_source: 'posthog',
  })
})

test('a merge that nothing can undo is sent by both where it is asked for by name', async () => {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, `${JSON.stringify(LINES[0]![1])}\n`)
  const asked = ['--with', 'merge-dangerously', '--dry-run', '--json']
  const ran = await Promise.all([
    runHosted(['transform', '--preset', 'posthog', '--in', path, ...asked]),
    runHosted(['import', '--file', path, ...asked]),
  ])
  expect(ran.map(({ stdout }) => JSON.parse(stdout).counts.pending)).toEqual([1, 1])
  await exits(
    2,
    runHosted(['import', '--file', path, '--with', 'merge', '--dry-run']),
    'has no switch "merge"',
  )
})
