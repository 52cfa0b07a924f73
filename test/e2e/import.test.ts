import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { startCli } from '../helpers/cli-process.ts'
import { runCommand } from '../helpers/command.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { eventLine, makeEvent, type TestEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { fileSandbox } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'

const NO_SCOPE = 'phx_may_not_read_projects'
const NO_QUERY = 'phx_may_not_query'

const sandbox = await fileSandbox({
  // So that events can be dropped of which nothing was said before.
  dialect: { quotaLimits: 'absent' },
  personalKeys: [
    { key: NO_SCOPE, scopes: ['query:read'] },
    { key: NO_QUERY, scopes: ['project:read'] },
  ],
})
beforeEach(() => sandbox.setFaults([]))

const FAST = ['--approved', '--max-events-per-minute', '100000000']
const env = () => ({ POSTHOG_PROJECT_API_KEY: sandbox.projectKey, POSTHOG_INGEST_HOST: sandbox.url })
/** Events of a day, which have uuids that those of other days don't have. */
const events = (count: number, day = 1) =>
  Array.from({ length: count }, (_, n) => makeEvent(n + 1000 * (day - 1), { day }))

function fileOf(lines: readonly (string | TestEvent)[], name = 'events.ndjson'): string {
  const path = join(testFolder(), name)
  const text = lines.map((line) => `${typeof line === 'string' ? line : eventLine(line)}\n`).join('')
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text)
  return path
}

/** Runs an import in this process, caps lifted; checks what holds of every run. */
async function importFile(path: string, ...more: string[]) {
  const ran = await runCommand(['import', '--file', path, ...FAST, ...more], { env: env() })
  expect(ran.stderr + ran.stdout).not.toContain(sandbox.projectKey)
  const counts = countsIn(ran.stderr)
  if (counts.read !== undefined) {
    const { read, written, rejected, filtered, duplicate, pending } = counts as Record<string, number>
    expect(read).toBe(written! + rejected! + filtered! + duplicate! + pending!)
  }
  if (ran.code !== 0 && ran.code !== 6) expect(ran.stderr).toMatch(/(then|options|once .*): posthaul import/)
  return { ...ran, counts }
}

function countsIn(stderr: string): Record<string, number> {
  const lines = [...stderr.matchAll(/^ {2}(read|written|rejected|filtered|duplicate|pending) +([\d,]+)/gm)]
  return Object.fromEntries(lines.map(([, name, count]) => [name!, Number(count!.replaceAll(',', ''))]))
}

describe('whose the project key is', () => {
  const importWith = (more: Readonly<Record<string, string>>, ...flags: string[]) =>
    runCommand(['import', '--file', fileOf(events(5)), ...FAST, ...flags], {
      env: { ...env(), POSTHOG_HOST: sandbox.url, POSTHOG_PERSONAL_API_KEY: sandbox.personalKey, ...more },
    })

  test.each([
    ['of the project that is named', { POSTHOG_PROJECT_ID: '1' }],
    ['of the projects that the personal key sees', {}],
  ])('another key than that %s is refused before anything is sent', async (_, more) => {
    const { requests } = sandbox.stats()
    const { code, stderr } = await importWith({ ...more, POSTHOG_PROJECT_API_KEY: 'phc_of_another_project' })
    expect(unfolded(stderr)).toMatch(
      /the project key from POSTHOG_PROJECT_API_KEY is not that of project 1 \(Sandbox\)/,
    )
    expect(unfolded(stderr)).toContain('none of the events was sent')
    expect(unfolded(stderr)).toContain('add --accept key_mismatch')
    expect(stderr).not.toContain('phc_of_another_project')
    expect(code).toBe(3)
    expect(sandbox.stats().requests).toBe(requests)
  })

  test('the right key passes without a word', async () => {
    const { stderr } = await exits(0, importWith({}))
    expect(unfolded(stderr)).not.toMatch(/could not ask/)
  })

  test.each<[string, Record<string, string>, number, RegExp]>([
    ['personal key is refused', { POSTHOG_PERSONAL_API_KEY: 'phx_not_known_there' }, 3, /is not valid/],
    ['personal key may not read projects', { POSTHOG_PERSONAL_API_KEY: NO_SCOPE }, 3, /scope project:read/],
    ['personal key is a project key', { POSTHOG_PERSONAL_API_KEY: 'phc_mistaken' }, 3, /is a project key/],
    ['project is not there', { POSTHOG_PROJECT_ID: '77' }, 3, /project 77 does not.*set POSTHOG_PROJECT_ID/],
    ['API has no address', { POSTHOG_HOST: '' }, 3, /no address.*set POSTHOG_REGION/],
    ['API does not answer', { POSTHOG_HOST: 'http://127.0.0.1:9' }, 5, /check POSTHOG_HOST/],
  ])('where the %s, nothing is sent, until that is accepted', async (_, more, exit, said) => {
    const { requests } = sandbox.stats()
    // A well-formed key of no project: its events would go to nobody.
    const wrong = { ...more, POSTHOG_PROJECT_API_KEY: 'phc_of_nobody' }
    const stopped = await importWith(wrong)
    expect(unfolded(stopped.stderr)).toMatch(
      /could not ask whose the project key is: .*none of the events was sent/,
    )
    expect(unfolded(stopped.stderr)).toMatch(said)
    expect([stopped.code, sandbox.stats().requests]).toEqual([exit, requests])
    const skipped = await importWith(wrong, '--accept', 'project_unasked')
    expect(unfolded(skipped.stderr)).toContain('could not ask whose the project key is')
    expect(skipped.code).toBe(0)
  })
})

describe('whether events arrive', () => {
  // The sandbox has never had these events.
  let sent = 90_000
  const fresh = (count: number) => fileOf(Array.from({ length: count }, () => makeEvent(sent++)))
  const importWith = (path: string, flags: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runCommand(['import', '--file', path, '--json', ...flags], {
      env: { ...env(), POSTHOG_HOST: sandbox.url, POSTHOG_PERSONAL_API_KEY: sandbox.personalKey, ...more },
    })

  test('over quota the service says Ok and drops all: the run pauses, and the next begins with one batch', async () => {
    sandbox.setFaults(['quota'])
    const path = fresh(400)
    const [wait, second] = [['--batch-events', '10'], { POSTHAUL_ARRIVAL_WAIT: '1s' }]
    const paused = await importWith(path, [...wait, '--max-events-per-minute', '1200'], second)
    expect(unfolded(paused.stderr)).toMatch(
      /nothing of the events sent since \d{4}-\d\d-\d\d \d\d:\d\d UTC has arrived in the project/,
    )
    const { counts, error, arrived } = JSON.parse(paused.stdout)
    expect([paused.code, error.code, arrived]).toEqual([5, 'paused', false])
    expect(counts.written).toBeLessThan(400)

    const { requests } = sandbox.stats()
    const again = await exits(5, importWith(path, [...wait, ...FAST], second))
    expect(unfolded(again.stderr)).toContain('one batch goes first')
    expect([JSON.parse(again.stdout).written_now, sandbox.stats().requests]).toEqual([10, requests + 1])

    // Not exit 0: under cron the quota would go unseen.
    const hour = { POSTHAUL_ARRIVAL_WAIT: '1h' }
    const stopped = (ms: number) => importWith(path, [...wait, '--stop-after', `${ms}ms`, ...FAST], hour)
    let short = await stopped(1000)
    // On a busy machine its time is up before the batch has gone.
    for (let ms = 2000; JSON.parse(short.stdout).written_now === 0; ms *= 2) short = await stopped(ms)
    expect([short.code, JSON.parse(short.stdout).error.message]).toEqual([
      5,
      expect.stringContaining('has not arrived yet'),
    ])

    sandbox.setFaults([])
    // The dropped batch of the run before is asked for first, and is late.
    await exits(5, importWith(path, [...wait, ...FAST], second))
    const last = await importWith(path, [...wait, ...FAST], second)
    expect([last.code, JSON.parse(last.stdout).counts.written]).toEqual([0, 400])
  })

  test('a short import asks once at its end', async () => {
    sandbox.setFaults(['quota'])
    const dropped = await importWith(fresh(5), [...FAST, '--keep-persons', 'no'])
    expect([dropped.code, JSON.parse(dropped.stdout).arrived]).toEqual([0, false])
    sandbox.setFaults([])
    const kept = await importWith(fresh(5), FAST)
    expect([kept.code, JSON.parse(kept.stdout).arrived]).toEqual([0, true])
    expect(kept.stderr).not.toContain('not yet seen')
  })

  test('a personal key that may not ask stops the run; POSTHAUL_ARRIVAL_WAIT=0 does not ask', async () => {
    const { requests } = sandbox.stats()
    const key = { POSTHOG_PERSONAL_API_KEY: NO_QUERY }
    const stopped = await importWith(fresh(5), FAST, key)
    expect([stopped.code, sandbox.stats().requests]).toEqual([4, requests])
    expect(unfolded(stopped.stderr)).toMatch(
      /lacks the scope query:read.*add the scope.*POSTHAUL_ARRIVAL_WAIT=0/s,
    )
    const unasked = await importWith(fresh(5), FAST, { ...key, POSTHAUL_ARRIVAL_WAIT: '0' })
    expect([unasked.code, JSON.parse(unasked.stdout).arrived]).toEqual([0, null])
  })
})

describe('import --file', () => {
  test('works with nothing but a key and an address, at the default caps', async () => {
    const path = fileOf(events(50))
    const { code, stderr, stdout } = await runCommand(['import', '--file', path], { env: env() })
    expect(stderr).toMatch(/import: done/)
    expect([code, stdout]).toEqual([0, ''])
    expect(countsIn(stderr)).toMatchObject({ read: 50, written: 50, pending: 0 })
  })

  test.each([
    ['the file itself', (path: string) => path],
    ['a path whose rejects would be', (path: string) => path.replace('.rejects.ndjson', '.json')],
  ])('a checkpoint that is %s is refused, and the file is left alone', async (_, checkpointOf) => {
    const path = fileOf(events(3), 'e.rejects.ndjson')
    const before = readFileSync(path, 'utf8')
    const { code, stderr } = await importFile(path, '--checkpoint', checkpointOf(path), '--restart')
    expect([code, readFileSync(path, 'utf8')]).toEqual([2, before])
    expect(stderr).toMatch(/would write over what is imported/)
  })

  test.each(['manifest.json', '2024-03-01.ndjson', 'rejects.ndjson'])(
    "a checkpoint in the place of a dataset's %s is refused",
    async (name) => {
      const folder = testFolder()
      const argv = ['import', '--dataset', folder, '--checkpoint', join(folder, name), '--restart']
      await exits(2, runCommand(argv, { env: env() }), /would write over what is imported/)
    },
  )

  test('a restart that did not come to it is still one', async () => {
    const path = fileOf(events(3))
    const argv = ['import', '--file', path, '--restart']
    const wrong = { ...env(), POSTHOG_PROJECT_API_KEY: 'phx_a_personal_one' }
    await exits(4, runCommand(argv, { env: wrong }), `once that is done: posthaul ${argv.join(' ')}\n`)
  })

  test.each(['"phc_quoted"', "'phc_quoted'", 'POSTHOG_PROJECT_API_KEY=phc_named'])(
    'a key with more around it is refused: %s',
    async (key) => {
      const { requests } = sandbox.stats()
      const path = fileOf(events(3))
      const ran = await exits(
        4,
        runCommand(['import', '--file', path], {
          env: { ...env(), POSTHOG_PROJECT_API_KEY: key },
        }),
        'quotes or a name around it',
      )
      expect(ran.stderr).not.toContain('phc_quoted')
      expect(sandbox.stats().requests).toBe(requests)
    },
  )

  test('what it prints at the volume cap goes on, and the status says so', async () => {
    const path = fileOf(events(30))
    const capped = await importFile(path, '--max-events', '10')
    expect([capped.code, capped.counts.written]).toEqual([5, 10])
    const status = await runCommand(['status', `${path}.checkpoint.json`])
    expect(`${status.stdout}${status.stderr}`).toMatch(/volume cap is reached/)
    const [, then] = /then: posthaul (.*)/.exec(capped.stderr)!
    const rest = await runCommand(then!.split(' '), { env: env() })
    expect([rest.code, countsIn(rest.stderr).written]).toEqual([0, 30])
  })

  test('rejects are exit 3 in the run that made them, and are named in every run after it', async () => {
    const path = fileOf([...events(2), '{"event":'])
    await exits(3, importFile(path))
    const again = await importFile(path, '--lanes', '2')
    expect([again.code, again.counts.rejected]).toEqual([0, 1])
    expect(unfolded(again.stderr)).toMatch(/bad_json 1; none of them in this run.*rejects are in/s)
    expect(again.stderr).toContain(
      'mend a copy, then: posthaul import --file mended.rejects.ndjson --approved --max-events-per-minute 100000000 --lanes 2\n',
    )
    const more = events(3, 2).map((event) => `${eventLine(event)}\n`)
    appendFileSync(path, more.join(''))
    await exits(0, importFile(path))
    appendFileSync(path, 'bad\n')
    const { code, stderr, stdout } = await importFile(path, '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ version: 1, command: 'import', dry_run: false, finished: true, input: path, host: sandbox.url },
      ...{ conserved: true, rejects: { bad_json: 2 }, rejects_file: `${path}.rejects.ndjson`, error: null },
      ...{ rejected_now: 1, counts: { rejected: 2, filtered: 0, duplicate: 0, pending: 0 } },
    })
    expect([code, stderr]).toEqual([3, expect.stringContaining('mend a copy')])
  })

  test('sends both names of the group event as $groupidentify', async () => {
    const group = (name: string, n: number) => ({
      ...makeEvent(n),
      event: name,
      distinct_id: 'g',
      properties: { $group_type: 'company', $group_key: `k${n}`, $group_set: { n } },
    })
    await importFile(fileOf([group('$groupidentify', 901), group('$group_identify', 902)]))
    const { results } = await sandbox.query(
      "SELECT event, uuid FROM events WHERE distinct_id = 'g' ORDER BY uuid",
    )
    expect(results.map(([event]) => event)).toEqual(['$groupidentify', '$groupidentify'])
  })

  test('--dry-run tells batches and time, and touches nothing', async () => {
    const path = fileOf([...events(250), ...events(250, 2), 'bad'])
    const before = sandbox.stats().requests
    const { code, stdout, stderr } = await runCommand(['import', '--file', path, '--dry-run'])
    expect(stderr).toContain(`  next: posthaul import --file ${path}\n`)
    expect(code).toBe(3)
    expect(countsIn(stdout)).toMatchObject({ read: 501, written: 0, rejected: 1, pending: 500 })
    expect(stdout).toMatch(/6 batches/)
    expect(stdout).toMatch(/at least 4 s, at 10,000 events a minute/)
    expect(readdirSync(dirname(path))).toEqual(['events.ndjson'])
    expect(sandbox.stats().requests).toBe(before)
    const json = await runCommand(['import', '--file', path, '--dry-run', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({
      version: 1,
      dry_run: true,
      plan: { batches: 6, seconds_at_cap: 4 },
    })
  })
})

describe('import --dataset', () => {
  const dataset = async () => {
    const folder = join(testFolder(), 'events')
    await writeDataset(folder, [
      { file: '2024-01-01.ndjson', events: events(30, 1) },
      { file: '2024-01-02.ndjson', events: events(30, 2) },
    ])
    return folder
  }

  test.each([
    ['bent', (text: string) => text.replace('signed up', 'signed UP')],
    ['cut', (text: string) => text.slice(0, -100)],
    ['longer', (text: string) => text + text.split('\n')[0]],
  ])('sends nothing of a part that is %s: exit 6', async (_, change) => {
    const folder = await dataset()
    const part = join(folder, '2024-01-02.ndjson')
    writeFileSync(part, change(readFileSync(part, 'utf8')))
    const { code, stderr } = await runCommand(['import', '--dataset', folder, ...FAST], { env: env() })
    expect([code, countsIn(stderr).written]).toEqual([6, 30])
    expect(unfolded(stderr)).toMatch(/2024-01-02\.ndjson is not the part/)
  })

  test('is refused when it is not finished', async () => {
    const folder = join(testFolder(), 'half')
    mkdirSync(folder)
    writeFileSync(join(folder, '2024-01-01.ndjson'), '')
    const { stderr } = await exits(2, runCommand(['import', '--dataset', folder], { env: env() }))
    expect(unfolded(stderr)).toMatch(/no finished dataset/)
  })
})

/** What is wrong on this machine comes before an address or a key. */
const THERE = 'fixtures/heap/walk/warehouse/order_completed.ndjson'

describe('before anything is sent', () => {
  test.each<[string, string[], Record<string, string>, number, RegExp]>([
    ['no input', [], {}, 2, /no input/],
    ['two inputs', ['--file', 'a', '--dataset', 'b'], {}, 2, /two inputs/],
    ['no key', ['--file', THERE], { POSTHOG_REGION: 'eu' }, 4, /no project key/],
    [
      'a personal key',
      ['--file', THERE],
      { POSTHOG_REGION: 'eu', POSTHOG_PROJECT_API_KEY: 'phx_secret' },
      4,
      /personal key/,
    ],
    [
      'a rate above the cap',
      ['--file', 'x', '--max-events-per-minute', '10001'],
      {},
      2,
      /must approve that first/,
    ],
    ['a volume above the cap', ['--file', 'x', '--max-events', '20000001'], {}, 2, /must approve that first/],
  ])('%s is a clear error', async (_, argv, environment, exit, words) => {
    const { code, stdout, stderr } = await runCommand(['import', ...argv], { env: environment })
    expect(unfolded(stderr)).toMatch(words)
    expect([code, stdout]).toEqual([exit, ''])
    expect(stderr).not.toContain('secret')
  })

  test('a folder that is a dataset is to be named as one', async () => {
    const folder = testFolder()
    await writeDataset(folder, [{ file: '2024-01-01.ndjson', events: events(3) }])
    await exits(2, importFile(folder), `--dataset ${folder}`)
  })

  test.each([
    ['a missing file', () => join(testFolder(), 'no.ndjson'), /is not there/],
    ['a folder without files', () => testFolder(), /no input files/],
    ['what can be read only once', () => '/dev/null', /read more than once/],
    [
      'a table',
      () => fileOf(['event,distinct_id', 'e,u'], 'events.csv'),
      /is CSV.*transform --preset posthog/,
    ],
  ])('%s is a clear error', async (_, path, words) => {
    const { stderr } = await exits(2, importFile(path()))
    expect(unfolded(stderr)).toMatch(words)
  })
})

describe('exits', () => {
  /** Puts another input there: without the first event, and with two more. */
  const writeOther = (path: string) => {
    const lines = events(7)
      .slice(1)
      .map((one) => `${eventLine(one)}\n`)
    writeFileSync(path, lines.join(''))
  }

  test.each<[string, string[], string[], number, RegExp]>([
    ['a key that is refused', ['401'], [], 4, /refuses this key/],
    ['the billing limit', ['billing'], [], 5, /billing limit reached/],
    ['a quota: what was dropped is not delivered', ['quota-said'], [], 5, /over quota/],
    ['a captive portal', ['html'], [], 5, /not the service/],
    ['a service that stays down', ['503'], ['--retry-for', '1s'], 5, /in the time given/],
    ['connections that break', ['reset'], ['--retry-for', '1s'], 5, /connection broke/],
  ])('%s', async (_, faults, flags, exit, words) => {
    const path = fileOf(events(20))
    sandbox.setFaults(faults)
    const { code, stderr, counts } = await importFile(path, ...flags)
    expect(unfolded(stderr)).toMatch(words)
    expect([code, counts.written, counts.pending]).toEqual([exit, 0, 20])
    sandbox.setFaults([])
    expect((await importFile(path)).counts).toMatchObject({ read: 20, written: 20, pending: 0 })
  })

  test.each([
    ['no server was there', { POSTHOG_INGEST_HOST: 'http://127.0.0.1:9' }],
    ['the key was refused', {}],
  ])('0 with another input, where nothing was sent before: %s', async (name, dead) => {
    const path = fileOf(events(5))
    sandbox.setFaults(name === 'the key was refused' ? ['401'] : [])
    const first = await runCommand(['import', '--file', path, '--retry-for', '1s', '--json', ...FAST], {
      env: { ...env(), ...dead },
    })
    expect(JSON.parse(first.stdout)).toMatchObject({ counts: { written: 0 }, migration: { events: 0 } })
    sandbox.setFaults([])
    writeOther(path)
    expect(await importFile(path)).toMatchObject({ code: 0, counts: { read: 6, written: 6, pending: 0 } })
  })

  test('6 with another input, where an answer was lost: the events may be there', async () => {
    const path = fileOf(events(5))
    sandbox.setFaults(['lost'])
    await importFile(path, '--retry-for', '1s')
    sandbox.setFaults([])
    writeOther(path)
    await exits(6, importFile(path))
  })

  test('6 when the checkpoint is of another address', async () => {
    const path = fileOf(events(5))
    await importFile(path)
    const other = { ...env(), POSTHOG_INGEST_HOST: 'http://127.0.0.1:9' }
    const { stderr } = await exits(6, runCommand(['import', '--file', path, ...FAST], { env: other }))
    expect(unfolded(stderr)).toMatch(/belongs to an import into/)
  })

  test('a terminal that closes sends SIGHUP more than once: the request under way is waited for', async () => {
    sandbox.setFaults(['slow:ms=2000'])
    const path = fileOf(events(100))
    const cli = startCli(['import', '--file', path, '--max-events-per-minute', '2000'], env())
    const before = sandbox.stats().requests
    let sent = 0
    const hangingUp = setInterval(() => {
      if (sandbox.stats().requests > before && sent++ < 10) cli.kill('SIGHUP')
    }, 20)
    const { code, stderr } = await cli.ended
    clearInterval(hangingUp)
    expect([code, countsIn(stderr).written], stderr).toEqual([129, 20])
  })

  test('0 when --stop-after ends it: it says what is left, and what goes on', async () => {
    const path = fileOf(events(400))
    // Batches of 20 at 33 a second: the time is over long before the events are.
    const argv = ['import', '--file', path, '--max-events-per-minute', '2000']
    const { stderr } = await exits(
      0,
      runCommand([...argv, '--stop-after', '1s'], { env: env() }),
      'import: stopped as asked after',
    )
    expect(stderr).toMatch(/^ {2}left {6}\S+ KiB of \S+ KiB$/m)
    expect(stderr).toContain(`  then: posthaul ${argv.join(' ')} --stop-after 1s\n`)
    const json = await exits(0, runCommand([...argv, '--stop-after', '1s', '--json'], { env: env() }))
    expect(JSON.parse(json.stdout)).toMatchObject({ finished: false, reason: 'stop_after', error: null })
    expect((await importFile(path)).counts).toMatchObject({ read: 400, written: 400 })
  })
})

test('status says where an import stands', async () => {
  const path = fileOf([...events(200), 'bad'])
  await importFile(path, '--max-events', '100')
  const half = await runCommand(['status', '--file', path])
  expect(half.stdout).toMatch(/(49|50)% done\n/)
  expect(half.stdout).toMatch(/written +100 events/)
  await importFile(path, '--max-events', '1000')
  const { stdout } = await exits(0, runCommand(['status', `${path}.checkpoint.json`, '--json']))
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    done: true,
    written: 200,
    rejected: 1,
    host: sandbox.url,
  })
  // Named without an option: the input, or the folder that its checkpoint is in.
  for (const named of [path, dirname(path)]) {
    expect((await runCommand(['status', named, '--json'])).stdout).toBe(stdout)
  }
})

test('status of an input that is there tells how to begin, of one that is not to look at the path', async () => {
  const path = fileOf(events(1))
  for (const argv of [['--file', path], ['--dataset', dirname(path)], [dirname(path)]]) {
    const { stderr } = await exits(2, runCommand(['status', ...argv]))
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      `not started posthaul import ${argv.length === 1 ? '--dataset ' : ''}${argv.join(' ')} starts it`,
    )
    expect(stderr).not.toContain('typing error')
  }
  await exits(2, runCommand(['status', '--file', 'nothing-here']), 'typing error')
})

describe('several files', () => {
  /** Files named so that the order of letters is not the natural one, and what else lies in a folder in use. */
  function folderOf(prefix: string): string {
    const folder = join(testFolder(), 'days')
    mkdirSync(folder)
    for (const day of [1, 2, 10]) {
      const text = events(20, day).map(
        (event) => `${eventLine({ ...event, distinct_id: `${prefix}${day}` })}\n`,
      )
      const name = `${day}.ndjson${day === 2 ? '.gz' : ''}`
      writeFileSync(join(folder, name), day === 2 ? gzipSync(text.join('')) : text.join(''))
    }
    writeFileSync(join(folder, 'other.checkpoint.json'), '{}')
    writeFileSync(join(folder, 'other.rejects.ndjson'), '{"line":1}\n')
    return folder
  }
  const stored = async (prefix: string) => {
    const sql = `SELECT count(DISTINCT distinct_id || uuid) FROM events WHERE distinct_id LIKE '${prefix}%'`
    return (await sandbox.query(sql)).results[0]
  }

  test.each([
    ['a folder', (folder: string) => [folder], (folder: string) => folder],
    [
      'a glob',
      (folder: string) => [join(folder, '*.ndjson*')],
      (folder: string) => `${folder}._.ndjson_-1bbb6353`,
    ],
    [
      'by name',
      (folder: string) => ['10.ndjson', '1.ndjson', '2.ndjson.gz'].map((name) => join(folder, name)),
      (folder: string) => join(folder, '10.ndjson'),
    ],
  ])('%s, in natural order, with one checkpoint', async (about, values, stem) => {
    const prefix = `several-${about.replace(/\W/g, '')}-`
    const folder = folderOf(prefix)
    const argv = ['import', '--file', ...values(folder), ...FAST]
    const first = await runCommand(argv, { env: env() })
    expect([first.code, countsIn(first.stderr)]).toMatchObject([0, { read: 60, written: 60 }])
    expect((await stored(prefix))?.map(Number)).toEqual([60])
    const checkpoint = `${stem(folder)}.checkpoint.json`
    const { input } = JSON.parse(readFileSync(checkpoint, 'utf8'))
    expect(input).toMatchObject({ kind: 'files', before: { files: 2 }, current: { name: '10.ndjson' } })
    const status = await runCommand(['status', '--file', ...values(folder), '--json'])
    expect(JSON.parse(status.stdout)).toMatchObject({ checkpoint, done: true, share: 1 })
    const again = await runCommand([...argv, '--json'], { env: env() })
    expect(JSON.parse(again.stdout)).toMatchObject({ written_now: 0, counts: { written: 60 } })
  })
})
