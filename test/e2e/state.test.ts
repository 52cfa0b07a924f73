import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { CHECKPOINT } from '../../src/delivery/checkpoint.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { writeManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import { openStore } from '../../src/store/open.ts'
import { runCommand } from '../helpers/command.ts'
import { runHosted } from '../helpers/command-host.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { eventLine, identity, makeEvent, type TestEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { importUnderKills } from '../helpers/import-kills.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { ForeignS3 } from '../helpers/s3rver.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'

const FORCE = ['--accept', 'state_unreadable']

const seed = seedOf('state')
const KILLS = kills({ few: 2, many: 6 })
/** Enough that each of the kills meets requests. */
const COUNT = kills({ few: 240, many: 1200 })
const BAD = COUNT / 20
const FAST = ['--approved', '--max-events-per-minute', '100000000', '--batch-events', '10']

let sandbox: Sandbox
const fake = new S3Server()
const foreign = new ForeignS3()
beforeAll(async () => {
  sandbox = await startSandbox({ seed })
  await Promise.all([fake.start(), foreign.start()])
})
afterAll(() => Promise.all([sandbox.close(), fake.close(), foreign.close()]))
afterEach(() => {
  sandbox.setFaults([])
  vi.unstubAllEnvs()
})

const keys = () => ({ POSTHOG_PROJECT_API_KEY: sandbox.projectKey, POSTHOG_INGEST_HOST: sandbox.url })

/** Commands in this process read a bucket's credentials from its environment. */
function useBucket(server: S3Server | ForeignS3): void {
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value)
}

const commandWith =
  (more: Record<string, string>) =>
  (...argv: string[]) =>
    runCommand(argv, { env: { ...keys(), ...more, HOME: testFolder() } })
const command = commandWith({})

/** Events of one day. Every twentieth has no uuid that the service could take: it becomes a reject. */
function history(prefix: string, count: number, bad = 20): TestEvent[] {
  return Array.from({ length: count }, (_, n) => {
    const event = makeEvent(n, { ids: 50 })
    const uuid = n % bad === bad - 1 ? 'none' : event.uuid
    return { ...event, uuid, distinct_id: `${prefix}${event.distinct_id}` }
  })
}

const isGood = ({ uuid }: TestEvent) => uuid !== 'none'

/** Writes a dataset into a bucket. */
async function upload(location: string, events: readonly TestEvent[]): Promise<void> {
  const folder = join(testFolder(), 'events')
  await writeDataset(folder, [{ file: '2024-01-01.ndjson', events }])
  const store = await openStore(location)
  for (const name of readdirSync(folder)) await store.put(name, readFileSync(join(folder, name)))
}

async function stored(prefix: string): Promise<string[]> {
  const { results } = await sandbox.query(
    `SELECT uuid, event, distinct_id, toString(toDate(timestamp)) FROM events WHERE startsWith(distinct_id, '${prefix}')`,
  )
  return results.map((row) => row.join(' ')).sort()
}

const recordsIn = (rejects: string) =>
  rejects
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).record)

describe.each([
  ['a bucket that keeps conditions', fake, {}],
  ['s3rver, which ignores them', foreign, { POSTHAUL_SINGLE_WRITER: 'true' }],
] as const)('a container without a disk, and %s', (_, server, more) => {
  const prefix = server === foreign ? 'foreign-' : 'fake-'
  const command = commandWith(more)
  const dataset = `s3://bucket/${prefix}/history/events`

  test(`promise 4: ${KILLS} kills, each run in a new folder: all arrives, no reject is lost or written twice`, async () => {
    useBucket(server)
    const events = history(prefix, COUNT)
    await upload(`${dataset}?endpoint=${server.url}`, events)
    sandbox.setFaults(['reset:0.01', 'lost:0.01', '503:0.01'], seed)
    const argv = ['import', '--dataset', dataset, ...FAST]
    const { code, stderr } = await importUnderKills({
      argv,
      env: { ...keys(), ...server.env, ...more, HOME: '/nowhere' },
      folder: testFolder,
      kills: KILLS,
      requests: () => sandbox.stats().requests,
      random: seeded(seed),
    })
    expect([0, 3], stderr).toContain(code)
    const told = (n: number) => n.toLocaleString('en')
    const words = `read +${told(COUNT)}\\n +written +${told(COUNT - BAD)} .*\\n +rejected +${BAD} `
    expect(stderr).toMatch(new RegExp(words))
    expect(await stored(prefix)).toEqual(events.filter(isGood).map(identity).sort())

    // The summary says where the rejects are, and how to mend them.
    expect(unfolded(stderr)).toContain(
      `rejects are in s3://bucket/${prefix}/history/.state/events.rejects.ndjson`,
    )
    const [, fetching] = /get a copy: posthaul (status .*) > mended\.rejects\.ndjson/.exec(stderr) ?? []
    const rejects = await exits(0, command(...fetching!.split(' ')))
    expect(recordsIn(rejects.stdout)).toEqual(events.filter((event) => !isGood(event)).map(eventLine))
    const mended = join(testFolder(), 'mended.rejects.ndjson')
    let n = 0
    writeFileSync(
      mended,
      rejects.stdout.replaceAll('none', () => makeEvent(1e6 + n++).uuid),
    )
    const [, next] = /mend it, then: posthaul (import .*)/.exec(stderr) ?? []
    await exits(0, command(...next!.replace('mended.rejects.ndjson', mended).split(' ')))
    expect(await stored(prefix)).toHaveLength(COUNT)

    // Nothing but the state is left in the bucket, and nothing is sent twice.
    const left = await (await openStore(`s3://bucket/${prefix}/history/.state?endpoint=${server.url}`)).list()
    expect(left.map(({ name }) => name).filter((name) => !/\.old|\.pace\./.test(name))).toEqual([
      'events.checkpoint.json',
      // A lock that was given back is an empty object: not every service removes on a condition.
      'events.checkpoint.json.lock',
      'events.rejects.ndjson',
      'events.sent.ndjson',
    ])
    const status = await command('status', '--dataset', dataset, '--json')
    expect(JSON.parse(status.stdout)).toMatchObject({ done: true, written: COUNT - BAD, rejected: BAD })
    const { events: before } = sandbox.stats()
    await exits(0, command(...argv))
    expect(sandbox.stats().events).toBe(before)
  })

  test('two datasets of one name have two states', async () => {
    useBucket(server)
    const [one, other] = [`${dataset}-twin/one/events`, `${dataset}-twin/other/events`]
    for (const [n, place] of [one, other].entries())
      await upload(`${place}?endpoint=${server.url}`, history(`twin-${n}`, 5 + n, 1000))
    await exits(0, command('import', '--dataset', one))
    const none = await command('status', '--dataset', other)
    expect([none.code, none.stdout]).toEqual([2, ''])
    // So they have in one --state.
    const state = `s3://bucket/${prefix}/state`
    const argv = ['--state', state]
    for (const place of [one, other])
      await exits(0, command('import', '--dataset', place, '--restart', ...argv))
    const both = (await command('status', ...argv, '--json')).stdout.trim().split('\n')
    expect(both.map((line) => JSON.parse(line).written)).toEqual(expect.arrayContaining([5, 6]))
    expect(both[0]).toMatch(/state\/events-[0-9a-f]{8}\.checkpoint\.json/)
    const own = await command('status', '--dataset', other, ...argv, '--json')
    expect(JSON.parse(own.stdout)).toMatchObject({ written: 6 })
  })
})

test('a bucket that ignores conditions is not relied on without the user’s word', async () => {
  useBucket(foreign)
  await upload(foreign.location('alone/events'), history('alone-', 5, 1000))
  const argv = ['import', '--dataset', 's3://bucket/alone/events']
  await exits(2, command(...argv), 'set POSTHAUL_SINGLE_WRITER=true')
  expect(await stored('alone-')).toEqual([])
})

test('the user’s word for such a bucket holds for run, doctor and undo too, by variable and by config file', async () => {
  useBucket(foreign)
  // The other tests' events are of the same day, and verify would count them.
  const own = await testSandbox()
  const prefix = 'word-'
  await upload(foreign.location(`${prefix}/events`), history(prefix, 5, 1000))
  const folder = testFolder()
  const file = join(folder, 'migration.yaml')
  writeFileSync(join(folder, 'in.ndjson'), `${eventLine(makeEvent(90_000))}\n`)
  writeFileSync(
    file,
    `source: { files: [in.ndjson] }
mapping: { preset: posthog }
store: s3://bucket/${prefix}run
target: { host: "${own.url}", project_id: ${own.projectId} }
import: { arrival_wait: 0s }
verify: { wait: 30s }
`,
  )
  const withFile = testFolder()
  writeFileSync(join(withFile, 'posthaul.config.json'), '{ "import": { "singleWriter": true } }')
  const dataset = `s3://bucket/${prefix}/events`
  const env = { ...sandboxEnv(own), ...foreign.env, HOME: testFolder() }
  const lines: [string[], number][] = [
    [['doctor', file], 3],
    [['doctor', '--dataset', dataset], 3],
    [['run', file], 2],
    [['import', '--dataset', dataset], 2],
  ]
  for (const [argv, code] of lines) {
    const refused = await runHosted(argv, env, folder)
    expect([argv, refused.code, unfolded(refused.stdout + refused.stderr)]).toEqual([
      argv,
      code,
      expect.stringContaining('set POSTHAUL_SINGLE_WRITER=true'),
    ])
    const byVariable = await runHosted(argv, { ...env, POSTHAUL_SINGLE_WRITER: 'true' }, folder)
    expect([argv, byVariable.code], byVariable.stdout + byVariable.stderr).toEqual([argv, 0])
    const byFile = await runHosted(argv, env, withFile)
    expect([argv, byFile.code], byFile.stdout + byFile.stderr).toEqual([argv, 0])
  }
  const made = [`s3://bucket/${prefix}run/events/files`, '--state', `s3://bucket/${prefix}run/state`]
  const undo = ['undo', ...made, '--request', 'Sandbox']
  await exits(2, runHosted(undo, env, folder))
  await exits(0, runHosted(undo, env, withFile))
})

describe('on this machine', () => {
  function linesOf(folder: string, name: string, events: readonly TestEvent[]): string {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), events.map((event) => `${eventLine(event)}\n`).join(''))
    return join(folder, name)
  }

  test('one --state keeps the imports of two files of one name apart', async () => {
    const folder = testFolder()
    const state = join(folder, 'state', 'deep')
    const paths = ['a', 'b'].map((name, n) =>
      linesOf(join(folder, name), 'events.ndjson', history(`local-${n}-`, 5 + n, 3)),
    )
    for (const path of paths) {
      const { code, stderr } = await command('import', '--file', path, '--state', state)
      expect([code, readdirSync(join(path, '..'))], stderr).toEqual([3, ['events.ndjson']])
      expect(unfolded(stderr)).toContain(`rejects are in ${state}/events.ndjson-`)
    }
    const all = await command('status', '--state', state, '--json')
    expect(all.stdout.trim().split('\n')).toHaveLength(2)
    const second = await command('status', '--file', paths[1]!, '--state', state, '--json')
    expect(JSON.parse(second.stdout)).toMatchObject({ written: 4, rejected: 2 })
    const rejects = await command('status', '--file', paths[1]!, '--state', state, '--rejects')
    expect(recordsIn(rejects.stdout)).toHaveLength(2)
    const two = await command('status', '--state', state, '--rejects')
    expect([two.code, two.stdout]).toEqual([2, ''])
  })

  test('an import that was begun beside its input is not begun anew with --state', async () => {
    const path = linesOf(testFolder(), 'events.ndjson', history('begun-', 5, 1000))
    await exits(0, command('import', '--file', path))
    const state = join(testFolder(), 'state')
    await exits(6, command('import', '--file', path, '--state', state), `state in ${path}.checkpoint.json`)
    const other = commandWith({ POSTHOG_PROJECT_API_KEY: 'phc_another_project' })
    const there = await other('import', '--file', path, '--state', state, '--accept', 'key_mismatch')
    const words = /for another address or key.* give this import a state of its own: --checkpoint/
    expect([there.code, unfolded(there.stderr)]).toEqual([6, expect.stringMatching(words)])
    await exits(0, command('import', '--file', path, '--state', state, '--restart'))
  })

  test('two globs in one folder have two states', async () => {
    const folder = join(testFolder(), 'days')
    linesOf(folder, 'a1.ndjson', history('glob-a', 5, 1000))
    linesOf(folder, 'b1.ndjson', history('glob-b', 6, 1000))
    for (const letter of ['a', 'b']) {
      await exits(0, command('import', '--file', join(folder, `${letter}*.ndjson`)), /read +[56] /)
    }
  })

  test('a dataset that other rules made again is not sent beside what they made before', async () => {
    const folder = join(testFolder(), 'events')
    const manifest = await writeDataset(folder, [
      { file: '2024-01-01.ndjson', events: history('rules-', 5, 99) },
    ])
    const made = (rules: string) => writeManifest(new LocalStore(folder), { ...manifest, rules })
    await made('posthog 1.1')
    const argv = ['import', '--dataset', folder]
    await exits(0, command(...argv))
    const status = await command('status', '--dataset', folder, '--json')
    expect(JSON.parse(status.stdout)).toMatchObject({ rules: 'posthog 1.1' })
    await made('posthog 1.2')
    for (const more of [[], ['--restart']]) {
      await exits(
        3,
        command(...argv, ...more),
        /other rules made .* \(posthog 1\.1; now posthog 1\.2\).*--accept rules_changed/s,
      )
    }
    await exits(0, command(...argv, '--restart', '--accept', 'rules_changed'))
  })

  test.each([
    ['a table', 'event,distinct_id\na,b\n'],
    ['a part of a dataset', `${eventLine(makeEvent(90_000))}\n`],
    ['other JSON', '{"name":"x"}\n'],
  ])('a checkpoint that is %s is refused, whatever is asked for', async (_, text) => {
    const path = linesOf(testFolder(), 'events.ndjson', history('guard-', 3, 1000))
    const taken = join(testFolder(), 'taken.json')
    writeFileSync(taken, text)
    for (const more of [[], ['--restart'], ['--restart', ...FORCE]]) {
      const argv = ['import', '--file', path, '--checkpoint', taken, ...more]
      const { code, stderr } = await command(...argv)
      expect([code, unfolded(stderr)], more.join(' ')).toEqual([
        2,
        expect.stringContaining('is not a checkpoint'),
      ])
      expect(readFileSync(taken, 'utf8')).toBe(text)
      expect(existsSync(`${taken}.previous`)).toBe(false)
    }
  })

  test.each([
    ['damaged', (text: string) => text.replace('"delivered":3', '"delivered":4')],
    ['cut off', (text: string) => text.slice(0, 200)],
    ['of a later version', () => ''],
  ])(
    'a checkpoint that is %s is gone over by --restart only where that is accepted',
    async (kind, damage) => {
      const path = linesOf(testFolder(), 'events.ndjson', history('force-', 3, 1000))
      const checkpoint = `${path}.checkpoint.json`
      await exits(0, command('import', '--file', path))
      const text = damage(readFileSync(checkpoint, 'utf8')) || laterVersion(checkpoint)
      if (existsSync(`${checkpoint}.previous`)) {
        writeFileSync(checkpoint, text)
        const { code, stderr } = await command('import', '--file', path, '--restart')
        expect([code, readFileSync(checkpoint, 'utf8')], stderr).toEqual([3, text])
      }
      rmSync(`${checkpoint}.previous`, { force: true })
      writeFileSync(checkpoint, text)
      for (const more of [[], ['--restart']]) {
        const { code, stderr } = await command('import', '--file', path, ...more)
        expect([code, unfolded(stderr)], kind).toEqual([
          more.length === 0 ? 6 : 3,
          expect.stringContaining('--restart --accept state_unreadable'),
        ])
        expect(readFileSync(checkpoint, 'utf8')).toBe(text)
      }
      await exits(0, command('import', '--file', path, '--restart', ...FORCE))
    },
  )

  function laterVersion(checkpoint: string) {
    const { checksum: _, ...state } = JSON.parse(readFileSync(checkpoint, 'utf8'))
    return CHECKPOINT.encode({ ...state, version: 2, tool: 'posthaul 9.9.9' })
  }
})

test('where the state is, is said once', async () => {
  const folder = testFolder()
  const named = ['import', '--file', join(folder, 'x.ndjson'), '--state', folder]
  await exits(2, command(...named, '--checkpoint', 'x.json'), 'give --state alone')
  await exits(
    2,
    command('import', '--file', 'x.ndjson', '--state', 'gs://bucket/state'),
    'is no place for state',
  )
  await exits(
    2,
    command('import', '--file', 'x.ndjson', '--checkpoint', 's3://bucket/x.json'),
    '--state s3://bucket/prefix',
  )
})
