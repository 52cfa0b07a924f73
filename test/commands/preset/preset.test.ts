import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../../helpers/command.ts'
import { folderOf } from '../../helpers/folder.ts'
import { unfolded } from '../../helpers/unfolded.ts'

const PRESET = `export default {
  vendor: 'acme',
  fields: { kind: '@kind', who: '@who', at: '@at', 'data.*': '*' },
  eventName: (record) => record.text('kind'),
  distinctId: (record) => record.text('who'),
  timestamp: (record) => Date.parse(record.text('at')) * 1000,
}
`
const RECORD = '{"kind":"signup","who":"u1","at":"2024-03-01T10:00:00Z","data":{"seats":3}}'
const LINE =
  '{"uuid":"634d0674-1808-581d-bf61-5128eb565570","timestamp":"2024-03-01T10:00:00.000000Z","event":"signup","distinct_id":"u1","properties":{"distinct_id":"u1","seats":3,"$geoip_disable":true,"$lib":"posthaul","$lib_version":"0","analytics_source":"acme"}}'

/** A preset of somebody else in a folder of its own. */
const acme = (preset: string, files: Readonly<Record<string, object | string>> = {}) =>
  join(folderOf({ 'acme.mjs': preset, ...files }), 'acme.mjs')

const SIGNUP = { about: 'A signup.', input: RECORD, expected: [LINE] }
const FIXTURES = { 'acme.fixtures/valid/signup.json': SIGNUP }

test('a preset outside of posthaul is held against the fixtures beside it', async () => {
  const path = acme(PRESET, FIXTURES)
  const { code, stdout, stderr } = await runCommand(['preset', 'test', path])
  expect(stdout, stderr).toMatch(/^preset test: .*acme\.mjs: 1 case, as expected\n/)
  expect(code).toBe(0)
})

test('what differs is told with the member, and the exit code is 3', async () => {
  const path = acme(PRESET.replace("'data.*': '*'", "data: '@data'"), FIXTURES)
  const { code, stdout } = await runCommand(['preset', 'test', path], { columns: 80 })
  expect(code).toBe(3)
  for (const line of stdout.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(80)
  expect(unfolded(stdout)).toContain('valid/signup: A signup. event 1: properties.seats is missing: 3')
  const { stdout: json, code: same } = await runCommand(['preset', 'test', path, '--json'])
  expect(same).toBe(3)
  expect(JSON.parse(json)).toMatchObject({
    vendor: 'acme',
    fixtures: path.replace('.mjs', '.fixtures'),
    cases: 1,
    failures: [{ case: 'valid/signup', differences: ['event 1: properties.seats is missing: 3'] }],
  })
})

test('more than five differences of a case are left to --json', async () => {
  const many = { ...SIGNUP, input: Array.from({ length: 7 }, () => RECORD), expected: [] }
  const { stdout } = await runCommand([
    'preset',
    'test',
    acme(PRESET, { 'acme.fixtures/valid/a.json': many }),
  ])
  expect(stdout).toContain('\n    and 2 more: --json has all of them\n')
})

test('a built-in preset is held against fixtures that are named', async () => {
  const { code, stdout, stderr } = await runCommand([
    ...['preset', 'test', 'kissmetrics', '--fixtures', 'fixtures/kissmetrics'],
  ])
  expect([code, stdout.split('\n')[0]], stderr).toEqual([
    0,
    expect.stringMatching(/^preset test: kissmetrics: \d+ cases, as expected$/),
  ])
})

test.each<[what: string, files: Readonly<Record<string, object | string>>, args: string[], says: RegExp]>([
  [
    'no folder',
    {},
    [],
    /acme\.mjs has no fixtures: there is no folder .*acme\.fixtures write valid\/ and invalid\/ into it/,
  ],
  [
    'a folder without cases',
    { 'acme.fixtures/valid/readme.md': 'none' },
    [],
    /has no fixtures: there is no JSON file in valid\/ or invalid\//,
  ],
  ['a case that is no JSON', { 'acme.fixtures/valid/a.json': '{' }, [], /valid\/a\.json: no JSON/],
  [
    'a record that is no text',
    { 'acme.fixtures/valid/a.json': { ...SIGNUP, input: { kind: 'a' } } },
    [],
    /valid\/a\.json: a case has about and input/,
  ],
  [
    'lines that are no text',
    { 'acme.fixtures/valid/a.json': { ...SIGNUP, expected: [{}] } },
    [],
    /valid\/a\.json: expected is a list of the lines/,
  ],
])('%s is said', async (_, files, args, says) => {
  const { code, stdout, stderr } = await runCommand(['preset', 'test', acme(PRESET, files), ...args])
  expect([code, stdout]).toEqual([2, ''])
  expect(unfolded(stderr)).toMatch(says)
})
