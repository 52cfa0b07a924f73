import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { eventLine, type TestEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { seeded } from '../helpers/random.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { seedOf } from '../helpers/seed.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'
import { unfolded } from '../helpers/unfolded.ts'

/*
 * A history that is divided by people, and imported by several processes at once.
 */
const FAST = ['--approved', '--max-events-per-minute', '1000000']
const PEOPLE = 30
const COMPANIES = 20
const YEARS = [2022, 2023]
const SPAN = 15 * 86_400_000

/** A history of two years: people with anonymous ids, aliases, last values that count, and groups that several change. */
function history(random: () => number): TestEvent[] {
  const events: TestEvent[] = []
  const add = (at: number, event: string, id: string, properties: TestEvent['properties']) =>
    events.push({
      uuid: `00000000-0000-4000-8000-${events.length.toString(16).padStart(12, '0')}`,
      timestamp: new Date(at).toISOString().replace('Z', '000Z'),
      event,
      distinct_id: id,
      properties,
    })
  for (let person = 0; person < PEOPLE; person++) {
    const [user, company] = [`u${person}`, `c${person % COMPANIES}`]
    // All that happens does so on a few dozen days: each day is a part, whatever it holds.
    let at = Date.UTC(YEARS[0]!, 0, 1) + Math.floor(random() * 1000)
    const later = () => (at += Math.floor(random() * 4) * SPAN + 1 + Math.floor(random() * 1000))
    for (let device = 0; device < person % 4; device++) {
      add(at, '$pageview', `a${person}-${device}`, { $current_url: `https://shop.example/${device}` })
      add(later(), '$identify', user, { $anon_distinct_id: `a${person}-${device}`, $set: { device } })
    }
    if (person % 7 === 0) add(later(), '$create_alias', user, { alias: `mail-${person}` })
    for (let n = 0; n < 12; n++) {
      const id = person % 7 === 0 && n % 2 === 1 ? `mail-${person}` : user
      add(later(), 'bought', id, { n, $groups: { company }, $set: { last: n }, $set_once: { first: n } })
      if (n % 6 === 5)
        add(later(), '$groupidentify', user, {
          $group_type: 'company',
          $group_key: company,
          $group_set: { by: `${user}/${n}` },
        })
    }
  }
  return events
}

function writeHistory(folder: string, name: string, events: readonly TestEvent[]): string {
  const path = join(folder, `${name}.ndjson`)
  writeFileSync(path, events.map((event) => `${eventLine(event)}\n`).join(''))
  return path
}

const transform = (input: string, out: string, ...more: string[]) =>
  runHosted(['transform', '--preset', 'posthog', '--in', input, '--out', out, ...more])

const placesIn = (out: string) => ['people-01', 'people-02', 'people-03'].map((name) => join(out, name))

/** Every file of a folder, by name; of a manifest all but when it was made. */
function bytesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const text = readFileSync(join(folder, name), 'latin1')
      return [name, text.replace(/"created_at": ".*"/, '')]
    }),
  )
}

/** Ids and groups, each with all that it is linked to. */
function linkedIn(lines: readonly string[]): Map<string, string> {
  const parents = new Map<string, string>()
  const rootOf = (id: string): string => {
    const parent = parents.get(id) ?? id
    return parent === id ? id : rootOf(parent)
  }
  for (const line of lines) {
    const { event, distinct_id: id, properties } = JSON.parse(line) as TestEvent
    const { $anon_distinct_id: anonymous, alias, $group_key: key } = properties
    const other = { $identify: anonymous, $create_alias: alias, $groupidentify: `group ${key}` }[event]
    parents.set(id, parents.get(id) ?? id)
    if (other !== undefined) parents.set(rootOf(String(other)), rootOf(id))
  }
  return new Map([...parents.keys()].map((id) => [id, rootOf(id)]))
}

test('the datasets hold the events of one, and all of a person and of a group are in one of them', async () => {
  const folder = testFolder()
  const input = writeHistory(folder, 'raw', history(seeded(seedOf('divided history'))))
  writeFileSync(input, `${readFileSync(input, 'utf8')}{"broken\n`)
  const [one, out] = [join(folder, 'one'), join(folder, 'divided')]
  expect((await transform(input, one)).code).toBe(3)
  const made = await transform(input, out, '--split-people', '3', '--json')
  expect(made.code, made.stderr).toBe(3)
  const result = JSON.parse(made.stdout)

  const whole = readSoundDataset(one)
  const datasets = placesIn(out).map(readSoundDataset)
  expect(readdirSync(out).sort()).toEqual(['people-01', 'people-02', 'people-03'])
  expect(datasets.flatMap(({ lines }) => lines).sort()).toEqual([...whole.lines].sort())
  expect(datasets.map(({ rejects }) => rejects.length)).toEqual([1, 0, 0])
  const roots = linkedIn(whole.lines)
  const rootsOf = datasets.map(
    ({ lines }) => new Set(lines.map((line) => roots.get((JSON.parse(line) as TestEvent).distinct_id))),
  )
  expect(rootsOf.reduce((sum, { size }) => sum + size, 0)).toBe(new Set(roots.values()).size)

  const sum = (of: (manifest: (typeof whole)['manifest']) => number) =>
    datasets.reduce((total, { manifest }) => total + of(manifest), 0)
  expect(sum(({ records }) => records.read)).toBe(whole.manifest.records.read)
  expect(sum(({ records }) => records.rejected)).toBe(1)
  expect(sum(({ events }) => events.written)).toBe(whole.manifest.events.written)
  expect(sum(({ properties }) => properties.n!)).toBe(whole.manifest.properties.n)
  expect(sum(({ group_types }) => group_types.company!.events)).toBe(
    whole.manifest.group_types.company!.events,
  )
  expect(result).toMatchObject({ counts: { read: whole.lines.length + 1, written: whole.lines.length } })
  expect(result.split.map(({ events }: { events: number }) => events)).toEqual(
    datasets.map(({ lines }) => lines.length),
  )
  for (const { events } of result.split) expect(events).toBeGreaterThan(0)
})

test('killed anywhere, the same command carries on to the same bytes', async () => {
  const folder = testFolder()
  const input = writeHistory(folder, 'raw', history(seeded(seedOf('killed division'))))
  const out = join(folder, 'whole')
  expect((await transform(input, out, '--split-people', '3', '--gzip')).code).toBe(0)
  const killed = join(folder, 'killed')
  const argv = ['transform', '--preset', 'posthog', '--in', input, '--out', killed, '--gzip']
  const marks = ['people-01', 'people-03', 'people-01/manifest.json', 'people-02/manifest.json']
  for (const mark of marks) {
    const cli = startCli([...argv, '--split-people', '3'])
    await signalWhen(cli, 'SIGKILL', () => existsSync(join(killed, mark)))
  }
  const done = await runHosted([...argv, '--split-people', '3'])
  expect(done.code, done.stderr).toBe(0)
  expect(placesIn(killed).map(bytesOf)).toEqual(placesIn(out).map(bytesOf))
  expect(readdirSync(killed).sort()).toEqual(['people-01', 'people-02', 'people-03'])
})

test('a division takes no place that holds anything else, nor another number of datasets', async () => {
  const folder = testFolder()
  const input = writeHistory(folder, 'raw', history(seeded(1)).slice(0, 50))
  const out = join(folder, 'out')
  expect((await transform(input, out, '--split-people', '3')).code).toBe(0)
  const fewer = await transform(input, out, '--split-people', '2')
  expect([fewer.code, unfolded(fewer.stderr)]).toEqual([2, expect.stringContaining('another number')])
  expect((await transform(input, out)).code).toBe(2)
  expect((await transform(input, join(folder, 'one'))).code).toBe(0)
  const over = await transform(input, join(folder, 'one'), '--split-people', '3')
  expect([over.code, unfolded(over.stderr)]).toEqual([2, expect.stringContaining('it would be replaced')])
  const after = await transform(
    input,
    join(folder, 'b'),
    '--split-people',
    '3',
    '--after',
    join(folder, 'one'),
  )
  expect([after.code, unfolded(after.stderr)]).toEqual([
    2,
    expect.stringContaining('--after are given together'),
  ])
  const again = await transform(input, out, '--split-people', '3')
  expect(again.code, again.stderr).toBe(0)
})

const PERSONS = 'SELECT distinct_ids, is_identified, properties, toString(created_at) FROM persons ORDER BY 1'
const GROUPS = 'SELECT key, properties FROM groups ORDER BY 1'

/** A project of its own: imports into it, and what it then holds of persons and groups. */
async function project() {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const env = sandboxEnv(sandbox)
  const start = (dataset: string, ...more: string[]) =>
    startCli(['import', '--dataset', dataset, ...FAST, ...more], env)
  const state = async () => {
    const [persons, groups] = [await sandbox.query(PERSONS), await sandbox.query(GROUPS)]
    // An import makes a group type by an event of its own, of any group.
    const own = persons.results.filter(([ids]) => !String(ids).startsWith('$company_'))
    return { persons: own, groups: groups.results }
  }
  return { sandbox, start, state, env }
}

test('imported side by side, the datasets give the persons and groups that one import gives', async () => {
  const folder = testFolder()
  const input = writeHistory(folder, 'raw', history(seeded(seedOf('side by side'))))
  const [one, out] = [join(folder, 'one'), join(folder, 'divided')]
  expect((await transform(input, one)).code).toBe(0)
  expect((await transform(input, out, '--split-people', '3')).code).toBe(0)
  const [alone, together] = [await project(), await project()]
  expect((await alone.start(one).ended).code).toBe(0)
  const runs = await Promise.all(
    placesIn(out).map((place) => together.start(place, '--share-cap', '3').ended),
  )
  for (const { code, stderr } of runs) expect(code, stderr).toBe(0)
  const expected = await alone.state()
  expect(expected.persons.length).toBe(PEOPLE)
  expect(expected.groups.length).toBe(COMPANIES)
  expect(await together.state()).toEqual(expected)
})

test('datasets of two years share people: the second import is refused, and goes with --any-order', async () => {
  const folder = testFolder()
  const events = history(seeded(seedOf('two years')))
  const datasets = await Promise.all(
    YEARS.map(async (year) => {
      const input = writeHistory(
        folder,
        `raw-${year}`,
        events.filter(({ timestamp }) => timestamp.startsWith(`${year}`)),
      )
      const out = join(folder, `events-${year}`)
      expect((await transform(input, out)).code).toBe(0)
      return out
    }),
  )
  const [first, second] = datasets as [string, string]
  const { start, sandbox } = await project()
  const slow = ['--share-cap', '2', '--max-events-per-minute', '600']
  const running = startCli(['import', '--dataset', first, ...slow], sandboxEnv(sandbox))
  await signalWhen(running, 'SIGKILL', () => sandbox.stats().events > 0)
  const before = sandbox.stats().events

  const refused = await start(second, '--share-cap', '2').ended
  expect(refused.code, refused.stderr).toBe(3)
  const said = unfolded(refused.stderr)
  expect(said).toContain(`${second} has people in common with a dataset whose import shares the rate cap`)
  expect(said).toMatch(new RegExp(`\\d+ ids are also in ${first}, whose import is not at its end`))
  expect(said).toMatch(/transform --split-people N.*--any-order/)
  expect(sandbox.stats().events).toBe(before)

  const sent = await start(second, '--share-cap', '2', '--any-order').ended
  expect(sent.code, sent.stderr).toBe(0)
  expect(unfolded(sent.stderr)).toContain('their last values and merges of ids may be wrong')
  // The first goes on to its end: the second is at its own.
  expect((await start(first, '--share-cap', '2').ended).code).toBe(0)
})

test('a dataset whose manifest has no sketch is read', async () => {
  const folder = testFolder()
  const events = history(seeded(2))
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  expect((await transform(writeHistory(folder, 'a', events.slice(0, 300)), first)).code).toBe(0)
  expect((await transform(writeHistory(folder, 'b', events.slice(200, 500)), second)).code).toBe(0)
  for (const place of [first, second]) {
    const path = join(place, 'manifest.json')
    const { id_sketch, ...manifest } = JSON.parse(readFileSync(path, 'utf8'))
    expect(id_sketch).toMatch(/^[\w+/]+=*$/)
    writeFileSync(path, JSON.stringify(manifest))
  }
  const { start, sandbox } = await project()
  const slow = ['--share-cap', '2', '--max-events-per-minute', '600']
  const running = startCli(['import', '--dataset', first, ...slow], sandboxEnv(sandbox))
  await signalWhen(running, 'SIGKILL', () => sandbox.stats().events > 0)
  const refused = await start(second, '--share-cap', '2').ended
  expect([refused.code, unfolded(refused.stderr)]).toEqual([3, expect.stringContaining('people in common')])

  const argv = ['import', '--dataset', second, ...FAST, '--share-cap', '2', '--any-order', '--json']
  const sent = await runHosted(argv, sandboxEnv(sandbox))
  expect(sent.code, sent.stderr).toBe(0)
  const [shared, ...others] = JSON.parse(sent.stdout).shared_people
  expect(others).toEqual([])
  expect(shared).toMatchObject({ dataset: first, error: 0 })
  expect(shared.ids).toBeGreaterThan(1)
})
