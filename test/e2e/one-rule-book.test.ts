import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'

const WHO = { distinct_id: 'u1', timestamp: '2024-03-01T12:00:00Z' }

/** Lines that the two ways in once answered differently, and what both answer now. */
const LINES: ReadonlyArray<readonly [answer: string, line: object]> = [
  ['merge_not_allowed', { event: '$merge_dangerously', properties: { alias: 'u2' }, ...WHO }],
  ['uuid_invalid', { event: 'e', uuid: 'not-a-uuid', ...WHO }],
  ['dropped_by_service', { event: '$performance_event', ...WHO }],
  ['identity_of_nobody', { event: '$identify', ...WHO, distinct_id: 'undefined' }],
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
      'transform',
      '--preset',
      'posthog',
      '--in',
      path,
      '--out',
      out,
      '--max-reject-ratio',
      '1',
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
  const unknown = await runHosted(['import', '--file', path, '--with', 'merge', '--dry-run'])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('has no switch "merge"')])
})
