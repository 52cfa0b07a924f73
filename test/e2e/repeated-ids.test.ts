import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'

interface Row {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly timestamp: string
  readonly page: string
}

/** Views of a day by one person, with the id that is given, each of another page unless it is said. */
function row(n: number, uuid: string, page = `/p/${n}`): Row {
  const timestamp = `2025-03-01T${String(n % 24).padStart(2, '0')}:00:00Z`
  return { uuid, event: 'view', distinct_id: 'u1', timestamp, page }
}

const idOf = (n: number) => `6f9619ff-8b86-4d11-b42d-${String(n).padStart(12, '0')}`

/** Files of rows, and transforms of them. */
function rows(...files: readonly (readonly Row[])[]) {
  const folder = testFolder()
  const paths = files.map((rows, at) => {
    const path = join(folder, `in-${at}.ndjson`)
    writeFileSync(path, rows.map((one) => `${JSON.stringify(one)}\n`).join(''))
    return path
  })
  const out = join(folder, 'out')
  const transform = async (...args: string[]) => {
    const end = await runHosted([
      ...['transform', '--preset', 'events', '--in', ...paths, '--out', out, '--json', ...args],
    ])
    return { ...end, result: end.stdout === '' ? undefined : JSON.parse(end.stdout) }
  }
  const begin = (...args: string[]) =>
    startCli(['transform', '--preset', 'events', '--in', ...paths, '--out', out, '--json', ...args])
  return { folder, out, begin, transform, isFinished: () => existsSync(join(out, 'manifest.json')) }
}

/** A table whose column `uuid` is the user's: 60 events of three users. */
const USERS = Array.from({ length: 60 }, (_, n) => row(n, idOf(n % 3)))

test('an id that repeats over records that differ stops a transform, until it is accepted', async () => {
  const { out, transform, isFinished } = rows(USERS)
  const dry = await transform('--dry-run')
  expect(dry).toMatchObject({ code: 3, result: { counts: { duplicate: 57, pending: 3, rejected: 0 } } })
  expect(dry.result.duplicates).toEqual({ count: 57, unlike: 57, estimated: false })
  expect(dry.stderr.replaceAll(/\s+/g, ' ')).toContain('57 of 60 records would be dropped as duplicates')
  expect(dry.stderr).toContain('--accept repeated_ids')

  const whole = await transform('--dry-run', '--sample', '100')
  expect(whole).toMatchObject({ code: 3, result: { counts: dry.result.counts, error: { code: 'found' } } })
  expect(whole.result.duplicates).toEqual(dry.result.duplicates)
  const some = await transform('--dry-run', '--sample', '20', '--accept', 'repeated_ids')
  const { read, duplicate, pending } = some.result.counts
  expect([some.code, pending, duplicate]).toEqual([0, 3, read - 3])

  const stopped = await transform()
  expect(stopped).toMatchObject({ code: 3, result: { finished: false, error: { code: 'found' } } })
  expect(isFinished()).toBe(false)
  const part = join(out, '2025-03-01.ndjson')
  const before = statSync(part).mtimeMs

  const unknown = await exits(2, transform('--accept', 'repeated-ids'))
  expect(unknown.stderr).toContain('repeated_ids')

  const accepted = await transform('--accept', 'repeated_ids')
  expect(accepted).toMatchObject({
    code: 0,
    result: { finished: true, counts: { written: 3, duplicate: 57 } },
  })
  // It goes on from what was done: the day is not sealed again.
  expect(statSync(part).mtimeMs).toBe(before)
  expect(isFinished()).toBe(true)
})

test('killed at the decision, the same command gives the same answer', async () => {
  const { out, begin, transform, isFinished } = rows(USERS)
  const isSealed = () => existsSync(join(out, '2025-03-01.ndjson'))
  await signalWhen(begin(), 'SIGKILL', isSealed)
  expect([isSealed(), isFinished()]).toEqual([true, false])
  const stopped = await transform()
  expect(stopped).toMatchObject({ code: 3, result: { finished: false, error: { code: 'found' } } })
  expect(stopped.result.duplicates).toEqual({ count: 57, unlike: 57, estimated: false })
  expect(isFinished()).toBe(false)

  // Killed with the day there already: at once, or wherever it is by then.
  await signalWhen(begin('--accept', 'repeated_ids'), 'SIGKILL', isSealed)
  const accepted = await transform('--accept', 'repeated_ids')
  expect(accepted).toMatchObject({ code: 0, result: { counts: { written: 3, duplicate: 57 } } })
  expect(isFinished()).toBe(true)
})

test('true copies are no trouble, however many, and a tenth of the records may differ', async () => {
  const copies = Array.from({ length: 60 }, (_, n) => row(n % 20, idOf(n % 20)))
  const delivered = await rows(copies).transform()
  expect(delivered).toMatchObject({ code: 0, result: { duplicates: { count: 40, unlike: 0 } } })
  const edited = (n: number) => [
    ...Array.from({ length: 100 - n }, (_, at) => row(at, idOf(at))),
    ...Array.from({ length: n }, (_, at) => row(at, idOf(at), '/edited')),
  ]
  for (const [unlike, code] of [
    [10, 0],
    [11, 3],
  ] as const) {
    const { transform } = rows(edited(unlike))
    for (const args of [['--dry-run'], []]) {
      const end = await transform(...args)
      expect(end, `${unlike} of 100, ${args}`).toMatchObject({ code, result: { duplicates: { unlike } } })
    }
  }
})

test('the decision is one, however the records are divided', async () => {
  const files = Array.from({ length: 9 }, (_, file) =>
    Array.from({ length: 20 }, (_, n) =>
      row(n, idOf((file * 20 + n) % 150), n % 3 === 0 ? '/same' : `/${file}`),
    ),
  )
  const seen = new Set<string>()
  for (const args of [
    ['--workers', '1'],
    ['--workers', '3'],
    ['--dry-run', '--workers', '3'],
  ]) {
    const { code, result } = await rows(...files).transform(...args)
    seen.add(JSON.stringify([code, result.duplicates]))
  }
  expect([...seen]).toEqual([JSON.stringify([3, { count: 30, unlike: 30, estimated: false }])])
})

test('fields.uuid: null says that no member is the id of the event', async () => {
  const { folder, out, transform } = rows(USERS)
  const map = join(folder, 'm.yaml')
  writeFileSync(map, 'fields: { uuid: null }\n')
  const end = await transform('--map', map)
  expect(end).toMatchObject({ code: 0, result: { counts: { written: 60, duplicate: 0 }, idle_rules: [] } })
  const lines = readFileSync(join(out, '2025-03-01.ndjson'), 'utf8').trim().split('\n')
  const events = lines.map((line) => JSON.parse(line) as { uuid: string; properties: { uuid: string } })
  expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(60)
  expect(new Set(events.map(({ properties }) => properties.uuid))).toEqual(
    new Set([idOf(0), idOf(1), idOf(2)]),
  )
})

test('the groups in a manifest are those of what is written, without duplicates and what earlier datasets have', async () => {
  const event = (n: number, groups: Record<string, string>, more: object = {}) => ({
    uuid: idOf(n),
    event: 'view',
    distinct_id: `u${n % 3}`,
    timestamp: `2025-03-0${1 + (n % 2)}T00:00:${String(n % 60).padStart(2, '0')}Z`,
    properties: { $groups: groups, ...more },
  })
  const events = [
    ...Array.from({ length: 40 }, (_, n) =>
      event(n, { company: `c${n}`, ...(n % 4 === 0 && { site: 's' }) }),
    ),
    // Copies, the same id with a group that no written event has, and one that the service takes no notice of.
    ...Array.from({ length: 12 }, (_, n) => event(n, { company: `c${n}` })),
    event(2, { lost: 'x' }),
    event(3, { company: 'y' }, { $process_person_profile: false }),
    event(50, { company: 'y' }, { $process_person_profile: false }),
    { ...event(51, {}), event: '$groupidentify', properties: { $group_type: 'site', $group_key: 's' } },
    { ...event(51, {}), event: '$groupidentify', properties: { $group_type: 'site', $group_key: 's' } },
  ]
  const folder = testFolder()
  const made = async (name: string, records: readonly object[], ...args: string[]) => {
    const [path, out] = [join(folder, `${name}.ndjson`), join(folder, name)]
    writeFileSync(path, records.map((one) => `${JSON.stringify(one)}\n`).join(''))
    const words = [
      ...['transform', '--preset', 'events', '--in', path, '--out', out, '--accept', 'repeated_ids'],
      ...args,
    ]
    await exits(0, runHosted(words))
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))
    const parts: string[] = manifest.parts.map(({ file }: { file: string }) =>
      readFileSync(join(out, file), 'utf8'),
    )
    const { group_types, groups, events: counts } = manifest
    const written = parts.flatMap((part) => part.trimEnd().split('\n')).map((line) => JSON.parse(line))
    return { out, written, counts, groups: { group_types, groups } }
  }
  const whole = await made('whole', events)
  expect(whole.counts).toMatchObject({ written: 42, duplicate: 15 })
  expect(whole.groups).toEqual((await made('again', whole.written)).groups)
  expect(whole.groups.groups.company.events).toBe(40)
  expect(whole.groups.group_types).not.toHaveProperty('lost')

  const first = await made('first', events.slice(0, 10))
  const rest = await made('rest', events, '--after', first.out)
  expect(rest.counts).toMatchObject({ earlier: 10, written: 32 })
  const counts = (types: Record<string, { events: number }>) =>
    Object.entries(types).map(([type, { events }]) => [type, events])
  const alone = await made('alone', rest.written)
  expect(counts(rest.groups.groups)).toEqual(counts(alone.groups.groups))
  expect(counts(rest.groups.group_types)).toEqual(counts(alone.groups.group_types))
})

test('a file that is there twice stops a transform of records without ids, until it is accepted', async () => {
  const views = USERS.map(({ uuid: _, ...view }) => view as Row)
  const { out, transform, isFinished } = rows(views, views.slice(0, 9), views)
  const refused = await transform()
  expect([refused.code, isFinished()]).toEqual([3, false])
  expect(refused.result).toMatchObject({ twins: 69, error: { finding: 'repeated_files' } })
  expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /in-2.ndjson is a copy of \S*in-0.ndjson: 69 records would be/,
  )
  const accepted = await transform('--accept', 'repeated_files')
  expect(accepted).toMatchObject({ code: 0, result: { counts: { written: 129, duplicate: 0 }, twins: 69 } })
  expect(existsSync(join(out, 'manifest.json'))).toBe(true)
})

test.each([
  [
    'records of several files that are alike, and no file is a copy',
    [USERS.slice(0, 9), USERS.slice(0, 20)],
    9,
  ],
  ['a copy whose records have ids', [USERS.map((one, n) => ({ ...one, uuid: idOf(n) })), undefined], 0],
] as const)('%s stop no transform', async (_, [first, second = first], twins) => {
  const without = (all: readonly Row[]) =>
    all.map(({ uuid, ...one }) => (twins ? one : { ...one, uuid }) as Row)
  const { transform } = rows(without(first), without(second))
  expect(await transform()).toMatchObject({ code: 0, result: { twins } })
})
