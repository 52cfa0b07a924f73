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
  ['distinct_id_not_text', event({ distinct_id: true })],
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
  ['group_properties_not_an_object', event({ event: '$groupidentify', properties: { $group_set: 'text' } })],
  ['set_not_an_object', event({ $set: 'text' })],
  ['event_too_large', event({ properties: { text: 'x'.repeat(900_000) } })],
  ['line_too_long', event({ properties: { text: 'x'.repeat(17 * 1024 * 1024) } })],
  ['bad_json', '{"event":"cut","distinct_id":"u","timestamp":"2024-03-0'],
]

/** Two lines that are no rejects: one that the service would drop, and one with a member that is nobody's. */
const OTHERS = [event({ event: '$performance_event' }), event({ team_id: 2, properties: null })]

test('every bad line is the same reject of transform and import, as it was, and the good ones between arrive', async () => {
  const sandbox = await testSandbox()
  const folder = testFolder()
  const [path, out] = [join(folder, 'in.ndjson'), join(folder, 'out')]
  const lines = BAD.flatMap(([reason, line]) => [
    Buffer.from(`${event()}\n`),
    Buffer.from(`${line}\n`, reason === 'bad_utf8' ? 'latin1' : 'utf8'),
  ])
  const bytes = Buffer.concat([Buffer.from(OTHERS.map((one) => `${one}\n`).join('')), ...lines]).subarray(
    0,
    -1,
  )
  writeFileSync(path, bytes)
  const words = ['--preset', 'posthog', '--in', path, '--out', out, '--max-reject-ratio', '1', '--json']
  const transformed = await exits(3, runHosted(['transform', ...words]))
  expect(JSON.parse(transformed.stdout).mend_command).toContain('posthaul transform')
  const { rejects, manifest } = readSoundDataset(out)
  const [read, mapped, rejected] = [2 * BAD.length + 2, BAD.length + 1, BAD.length]
  expect(manifest.records).toMatchObject({ read, mapped, rejected })
  expect(rejects.map(({ line, reason }) => [line, reason])).toEqual(
    BAD.map(([reason], at) => [2 * at + 4, reason]),
  )
  for (const [at, { reason, offset, record }] of rejects.entries()) {
    if (reason === 'line_too_long') expect(record).toBeNull()
    else if (reason !== 'bad_utf8') {
      expect(record).toBe(BAD[at]![1])
      expect(bytes.toString('utf8', offset, offset + Buffer.byteLength(record!))).toBe(record)
    }
  }
  const imported = await exits(3, runHosted(['import', '--file', path, '--json'], sandboxEnv(sandbox)))
  expect(JSON.parse(imported.stdout).counts).toMatchObject({ written: mapped, rejected })
  for (const { stdout } of [transformed, imported])
    expect(JSON.parse(stdout)).toMatchObject({
      filtered: { dropped_by_service: 1 },
      ignored_members: { team_id: 1 },
    })
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

test('a merge that nothing can undo is sent by both where it is asked for by name', async () => {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, `${event({ event: '$merge_dangerously', properties: { alias: 'u2' } })}\n`)
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
