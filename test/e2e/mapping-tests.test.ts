import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { folderOf } from '../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { started } from '../helpers/started.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { FakeMixpanel, MIXPANEL_ENV } from '../helpers/vendors/mixpanel.ts'

const INDEX = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href
const SIGN_UP =
  '{"event":"Sign Up","properties":{"time":1700000000,"distinct_id":"u1","$insert_id":"x1","plan":"pro","id":12345678901234567890,"token":"secret","price":1.50}}'
const MAPPING = `preset: mixpanel
# what we call things
events:
  rename: { Sign Up: signed_up }
  drop: [heartbeat]
`
const TESTS = `# what we agreed on
tests:
  # the plan is what we bill by
  - name: a sign-up keeps its plan
    record: '${SIGN_UP}'
    includes:
      - event: signed_up # as the sites send it now
        properties: { plan: pro, id: 12345678901234567890, price: 1.5, token: null }
    left_out: [properties.token]
  - name: heartbeats are left out
    record: { event: heartbeat, properties: { time: 1700000000, distinct_id: u1 } }
    filtered: event_dropped
  - name: nobody guesses a time
    record: { event: Sign Up, properties: { distinct_id: u1 } }
    rejected: timestamp_missing
`

/** A folder with a mapping file, its tests and a record. */
function project(files: Readonly<Record<string, string>> = {}) {
  const usual = { 'mapping.yaml': MAPPING, 'mapping.test.yaml': TESTS, 'in.ndjson': `${SIGN_UP}\n` }
  const folder = folderOf({ ...usual, ...files })
  const run = (...argv: string[]) => runHosted(argv, {}, folder)
  return { folder, run, read: (name: string) => readFileSync(join(folder, name), 'utf8') }
}

test('tests pass; a changed mapping fails them, in 80 columns, and --update writes what came out', async () => {
  const { folder, run, read } = project()
  const green = await exits(0, run('test', 'mapping.yaml'))
  expect(green.stdout).toMatch(/^mapping.yaml: 3 tests, 3 passed\n {2}ok {7}a sign-up keeps its plan\n/)

  writeFileSync(join(folder, 'mapping.yaml'), MAPPING.replace('signed_up', 'registered'))
  const red = await exits(3, run('test', 'mapping.yaml'))
  expect(red.stdout).toMatch(/ {11}event\n +expected {2}"signed_up"\n +came out {2}"registered"\n/)
  for (const line of red.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)

  const refused = await exits(
    3,
    run('transform', '--map', 'mapping.yaml', '--in', 'in.ndjson', '--out', 'events'),
  )
  expect(refused.stderr).toContain('1 of 3 tests of mapping.yaml fails')
  expect(unfolded(refused.stderr)).toContain('event: expected "signed_up", came out "registered"')
  expect(existsSync(join(folder, 'events'))).toBe(false)

  await exits(0, run('test', 'mapping.yaml', '--update'))
  expect(read('mapping.test.yaml')).toBe(
    TESTS.replace('event: signed_up', 'event: registered').replace(
      '[properties.token]',
      '[ properties.token ]',
    ),
  )
  await exits(0, run('test', 'mapping.yaml'))
  await exits(0, run('transform', '--map', 'mapping.yaml', '--in', 'in.ndjson', '--out', 'events'))
})

test('--accept failing_tests goes on, and a dry run says that tests fail', async () => {
  const { run } = project({ 'mapping.yaml': MAPPING.replace('signed_up', 'registered') })
  const words = ['transform', '--map', 'mapping.yaml', '--in', 'in.ndjson']
  const dry = await exits(0, run(...words, '--dry-run'))
  expect((dry.stdout + dry.stderr).replaceAll(/\s+/g, ' ')).toContain('1 of 3 tests of mapping.yaml fails')
  await exits(0, run(...words, '--out', 'events', '--accept', 'failing_tests'))
})

/** A preset in a file, which has another name for the plan than the test expects. */
const PRESET_FILE = `import { definePreset, parseTime } from '${INDEX}'
export default definePreset({
  vendor: 'acme',
  fields: { what: '@event', who: '@who', at: '@at', tier: 'subscription' },
  eventName: (record) => record.text('event'),
  distinctId: (record) => record.text('who'),
  timestamp: (record) => parseTime(record.text('at')),
})
`
const SIGNUP = '{"what":"signup","who":"u1","at":"2024-03-01T10:00:00Z","tier":"pro"}'
const ACME = `preset: ./acme.mjs
tests:
  - name: the tier is the plan
    record: '${SIGNUP}'
    includes: [{ properties: { plan: pro } }]
`
test('a red test stops a run before its export, which can take weeks', async () => {
  const { folder } = project({ 'acme.mjs': PRESET_FILE, 'in.ndjson': `${SIGNUP}\n`, 'acme.yaml': ACME })
  const fake = await started(new FakeMixpanel({ events: [], zone: 'UTC' }))
  const sandbox = await testSandbox({ mergeAfterMs: 0 })
  const env = { ...sandboxEnv(sandbox), ...MIXPANEL_ENV }
  const run = (settings: string) => {
    writeFileSync(
      join(folder, 'migration.yaml'),
      `source: { mixpanel: { project_id: "42", from: 2024-03-01, to: 2024-03-02, base_url: "${fake.url}" } }
mapping: { file: acme.yaml${settings} }
store: store
target: { host: "${sandbox.url}", project_id: ${sandbox.projectId} }
`,
    )
    return runHosted(['run', 'migration.yaml'], env, folder)
  }
  const stopped = await exits(3, run(''))
  expect(stopped.stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /1 of 1 test of \S*acme\.yaml fails; .*nothing was (written|exported)/,
  )
  expect(existsSync(join(folder, 'store/raw'))).toBe(false)
  const through = await run(', accept: [failing_tests]')
  expect(through.stderr).toMatch(/export: done/)
})

test('explain --as-test and init write tests that pass, of rows of a table as they are in it', async () => {
  const { folder, run, read } = project({
    'm.yaml':
      'columns: { WHO: user, N: { to: n, type: number } }\nfields: { event: WHAT, distinct_id: user, timestamp: AT }\n',
    't.csv':
      'WHO,WHAT,AT,N\nu1,"Said ""it\'s""",2024-03-01 10:00:00,7.50\nu2,Left,2024-03-02 10:00:00,\nu2,Left,yesterday,\n',
  })
  const zone = ['--source-timezone', 'Europe/Vienna']
  const first = await run('explain', 't.csv', '--map', 'm.yaml', '--line', '2', '--as-test', ...zone)
  expect(first.stderr).toContain('to m.test.yaml')
  const second = await run(
    'explain',
    't.csv',
    '--map',
    'm.yaml',
    '--line',
    '4',
    '--as-test',
    '--json',
    ...zone,
  )
  expect(JSON.parse(second.stdout).test).toMatchObject({ file: 'm.test.yaml', yaml: null })
  const tests = read('m.test.yaml')
  expect(tests).toContain('options:\n  source_timezone: "Europe/Vienna"\n')
  expect(tests).toContain('      N: "7.50"\n')
  expect(tests).toContain('timestamp: 2024-03-01T09:00:00.000000Z\n')
  expect(tests).toContain('rejected: timestamp_unparsable\n')
  const ran = await run('test', 'm.yaml')
  expect(ran.code, ran.stdout).toBe(0)
  // A transform that forgets the zone is told of it.
  const forgot = await exits(3, run('transform', '--map', 'm.yaml', '--in', 't.csv', '--out', 'events'))
  expect(forgot.stderr).toContain('--source-timezone Europe/Vienna')

  const rows = Array.from(
    { length: 12 },
    (_, at) => `u${at},Left,2024-03-01 10:00:${10 + at},${at === 7 ? '' : 'pro'}`,
  )
  writeFileSync(join(folder, 'u.csv'), `user_id,event,timestamp,plan\n${rows.join('\n')}\n`)
  const init = await exits(0, run('init', 'u.csv', '--out', 'new.yaml'))
  expect(init.stderr).toContain('new.test.yaml')
  const own = await run('test', 'new.yaml')
  expect(own.code, own.stdout).toBe(0)
  expect(own.stdout).toContain('Left, u.csv line 2')
  const printed = await run('explain', 'in.ndjson', '--preset', 'mixpanel', '--as-test')
  expect(printed.stdout).toMatch(/^tests:\n {2}- name: Sign Up, in.ndjson line 1\n {4}record: '/)
})

test('CI gets JSON; a bad file of tests is told with its line and column', async () => {
  const { folder, run } = project({ 'mapping.yaml': MAPPING.replace('signed_up', 'registered') })
  const ran = await exits(3, run('test', 'mapping.yaml', '--json'))
  expect(JSON.parse(ran.stdout)).toMatchObject({ passed: 2, failed: 1, updated: 0 })

  writeFileSync(join(folder, 'mapping.test.yaml'), TESTS.replace('rejected: timestamp', 'rejectd: timestamp'))
  const refused = await exits(
    2,
    run('transform', '--map', 'mapping.yaml', '--in', 'in.ndjson', '--out', 'events'),
  )
  expect(refused.stderr).toMatch(/mapping.test.yaml:\d+:5: unknown key "rejectd"/)
  expect(refused.stderr).toContain('did you mean "rejected"?')
})
