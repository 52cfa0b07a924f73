import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { exits } from '../helpers/exits.ts'
import { folderOf } from '../helpers/folder.ts'
import { unfolded } from '../helpers/unfolded.ts'

const KEY = 'a-key-of-the-test-that-is-long-enough'

/** All bytes below a folder, as one text. */
function textBelow(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) =>
      statSync(path).isDirectory() ? textBelow(path) : `${path}\n${readFileSync(path, 'utf8')}`,
    )
    .join('\n')
}

/** A folder with records and a mapping file, and what transforms them. */
function project(mapping: string, records: readonly object[], more: Readonly<Record<string, string>> = {}) {
  const folder = folderOf({
    'map.yaml': mapping,
    'in.ndjson': records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    ...more,
  })
  const out = join(folder, 'out')
  const base = [
    ...['transform', '--map', join(folder, 'map.yaml'), '--in', join(folder, 'in.ndjson'), '--out', out],
  ]
  const transform = (env: Readonly<Record<string, string>> = {}, ...args: string[]) =>
    runCommand([...base, '--json', '--max-reject-ratio', '1', ...args], { env, built: true })
  return { folder, out, transform }
}

test('hashes hold from run to run; another key, a short one and none are refused, and none is written', async () => {
  const record = { event: 'E', distinct_id: 'u', timestamp: '2024-03-01T00:00:00Z', email: 'ana@example.com' }
  const { out, transform } = project('properties: { hash: [email] }', [record])
  expect(await transform()).toMatchObject({ code: 2, stderr: expect.stringContaining('POSTHAUL_HASH_KEY') })
  expect(await transform({ POSTHAUL_HASH_KEY: 'short' })).toMatchObject({ code: 2 })
  const made = await transform({ POSTHAUL_HASH_KEY: KEY })
  expect(made).toMatchObject({ code: 0 })
  const first = textBelow(out)
  expect(first + made.stdout + made.stderr).not.toMatch(/ana@example|a-key-of/)
  expect(await transform({ POSTHAUL_HASH_KEY: KEY })).toMatchObject({ code: 0 })
  const other = await transform({ POSTHAUL_HASH_KEY: `${KEY}2` })
  expect(other.code).not.toBe(0)
  expect(unfolded(other.stderr)).toContain('was made with another POSTHAUL_HASH_KEY')
  expect(textBelow(out)).toContain('"email"')
})

test('a hash that matches nothing stops the whole input, and is a line of a window, a dry run, a trial and a sample', async () => {
  const record = { event: 'E', distinct_id: 'u', timestamp: '2024-03-01T00:00:00Z', email: 'ana@example.com' }
  const { out, transform } = project('properties: { hash: [email, Email, $email] }', [record])
  const env = { POSTHAUL_HASH_KEY: KEY }
  const stopped = await transform(env)
  expect([stopped.code, JSON.parse(stopped.stdout).error.finding]).toEqual([3, 'hashes_nothing'])
  expect(unfolded(stopped.stderr)).toContain(
    'properties.hash matches nothing in all 1 record: "Email", "$email"',
  )
  expect(existsSync(join(out, 'manifest.json'))).toBe(false)
  const idle = ['properties.hash "Email"', 'properties.hash "$email"']
  for (const args of [
    ['--dry-run'],
    ['--import-id', 'window-1'],
    ['--people', '1'],
    ['--accept', 'hashes_nothing'],
  ]) {
    const told = await transform(env, ...args)
    expect([told.code, JSON.parse(told.stdout).idle_rules], args.join(' ')).toEqual([0, idle])
    rmSync(out, { recursive: true, force: true })
  }
  const sampled = await transform(env, '--dry-run', '--sample', '5')
  expect([sampled.code, JSON.parse(sampled.stdout).idle_rules]).toEqual([0, [idle[0]]])
})

/** A history in which `gone` was anonymous, signed in, and has an older name; and people beside her. */
function history(): { mapping: string; records: object[] } {
  const mapping = `
fields: { event: event, distinct_id: id, timestamp: at, anonymous_id: device }
forget: lists/ids.txt
events: { drop: [Signed In] }
groups: { company: company }
`
  const at = (minute: number) => `2024-03-01T10:${String(minute).padStart(2, '0')}:00Z`
  const records = [
    { event: 'Viewed', id: 'gone-device', at: at(1), secret: 'gone-secret-1' },
    // The link is only in an event that the mapping file drops, and after the anonymous events.
    { event: 'Signed In', id: 'gone@example.com', device: 'gone-device', at: at(5) },
    { event: 'Paid', id: 'gone@example.com', at: at(6), company: 'acme', secret: 'gone-secret-2' },
    { event: '$create_alias', id: 'gone@example.com', alias: 'gone-4711', at: at(7) },
    { event: 'Called', id: 'gone-4711', at: at(8), secret: 'gone-secret-3' },
    // A second device of hers, which was another person's first.
    { event: 'Viewed', id: 'library-pc', at: at(0), n: 0 },
    { event: 'Paid', id: 'ben', device: 'library-pc', at: at(2), n: 1 },
    { event: 'Paid', id: 'gone@example.com', device: 'library-pc', at: at(9), secret: 'gone-secret-4' },
    { event: 'Paid', id: 'ben', device: 'ben-device', at: at(10), company: 'acme', n: 2 },
    { event: 'Viewed', id: 'ben-device', at: at(3), n: 3 },
    // Refused records: one is hers.
    { event: 'Paid', id: 'gone@example.com', at: 'no time', secret: 'gone-secret-5' },
    { event: 'Paid', id: 'ben', at: 'no time', n: 4 },
  ]
  return { mapping, records }
}

test('nothing is left of a person who is forgotten, in any of three ids; others stay', async () => {
  const { mapping, records } = history()
  const { folder, out, transform } = project(mapping, records)
  mkdirSync(join(folder, 'lists'))
  writeFileSync(join(folder, 'in.ndjson'), '{"event":"Broken","id":"gone-4711",\n', { flag: 'a' })
  writeFileSync(join(folder, 'lists/ids.txt'), '\uFEFF\r\nnobody-here\r\n gone-4711 \r\n')
  const dry = await transform({}, '--dry-run')
  const made = await transform()
  expect([dry.code, made.code]).toEqual([3, 3])
  expect(dry.stdout + dry.stderr + made.stdout + made.stderr + textBelow(out)).not.toContain('gone')
  const { counts, filtered, rejects } = JSON.parse(made.stdout)
  expect(filtered).toEqual({ event_dropped: 1, forgotten: 8 })
  expect(rejects).toEqual({ timestamp_unparsable: 1 })
  // Ben's two payments and two devices' views, but for the shared device: that of its own is left out with her.
  expect(counts).toMatchObject({ read: 13, rejected: 1, filtered: 9, written: 3 })
  const events = readFileSync(join(out, '2024-03-01.ndjson'), 'utf8').trimEnd().split('\n')
  const found = events.map((line) => JSON.parse(line)).map(({ event, properties: { n } }) => `${event} ${n}`)
  expect(found.sort()).toEqual(['$identify undefined', 'Paid 1', 'Paid 2', 'Viewed 3'])
})

test('the list is part of the run: an empty or missing one is refused, and the manifest knows which it was', async () => {
  const { mapping, records } = history()
  const { folder, out, transform } = project(mapping, records)
  await exits(2, transform())
  mkdirSync(join(folder, 'lists'))
  writeFileSync(join(folder, 'lists/ids.txt'), '\n  \n')
  expect(await transform()).toMatchObject({ code: 2, stderr: expect.stringContaining('holds no id') })
  // Ids that nobody has are most likely written otherwise than the records have them: everybody would be sent.
  writeFileSync(join(folder, 'lists/ids.txt'), 'GONE-4711\n')
  const tried = await transform({}, '--dry-run')
  expect([tried.code, JSON.parse(tried.stdout)]).toMatchObject([3, { forgets: true, filtered: {} }])
  const stopped = await exits(3, transform(), 'ids.txt (1 id) matches nobody in all 12 records')
  expect(stopped.stderr).toContain('--accept forgets_nobody')
  expect(existsSync(join(out, 'manifest.json'))).toBe(false)
  const window = await transform({}, '--import-id', 'window-1')
  expect([window.code, JSON.parse(window.stdout)]).toMatchObject([3, { forgets: true, filtered: {} }])
  const accepted = await transform({}, '--accept', 'forgets_nobody')
  expect([accepted.code, JSON.parse(accepted.stdout)]).toMatchObject([3, { finished: true, filtered: {} }])
  rmSync(out, { recursive: true })
  writeFileSync(join(folder, 'lists/ids.txt'), 'nobody-here\ngone-4711\n')
  await exits(3, transform())
  const { source } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))
  expect(source.forget_sha256).toBe(createHash('sha256').update('nobody-here\ngone-4711\n').digest('hex'))
})

test('where all of a list must be found, an id that nobody has stops before anything is written, but not a window', async () => {
  const { mapping, records } = history()
  const { folder, out, transform } = project(
    mapping.replace('forget: lists/ids.txt', 'forget: { file: lists/ids.txt, all: true }'),
    records,
  )
  mkdirSync(join(folder, 'lists'))
  const list = (text: string) => writeFileSync(join(folder, 'lists/ids.txt'), text)
  list('gone-4711\nGONE-4711\n$device:gone-device\nnobody-here\n')
  const stopped = await exits(2, transform(), 'match nobody in these records: lines 2, 4')
  expect(unfolded(stopped.stderr)).toContain('2 of 4 ids in')
  expect(stopped.stderr).not.toMatch(/gone-4711|nobody-here/i)
  expect(existsSync(join(out, 'manifest.json'))).toBe(false)
  for (const args of [
    ['--dry-run'],
    ['--dry-run', '--sample', '5'],
    ['--import-id', 'window-1'],
    ['--people', '1'],
  ]) {
    const said = await transform({}, ...args)
    expect(said.code).not.toBe(2)
    expect(unfolded(said.stderr)).toContain('match nobody in these records: lines 2, 4')
    rmSync(out, { recursive: true, force: true })
  }
  // An anonymous id, an alias, a device by its prefix.
  list('gone-device\ngone-4711\n$device:library-pc\n')
  expect(await transform()).toMatchObject({ code: 0 })
})

test('a refused record of a forgotten person is filtered, also where records become several events', async () => {
  const batch = (customer: string, events: unknown) => ({
    mpid: `device of ${customer}`,
    user_identities: { customer_id: customer },
    batch_id: '1',
    events,
  })
  const action = {
    event_type: 'custom_event',
    data: { event_name: 'Buy', timestamp_unixtime_ms: 1709251200000 },
  }
  const records = [
    batch('gone@example.com', 'none'),
    batch('gone@example.com', [action, null, { event_type: 'custom_event', data: { event_name: 'Buy' } }]),
    batch('stays@example.com', [action, null]),
    batch('stays@example.com', 'none'),
  ]
  const mapping = 'preset: mparticle\nforget: gone.txt'
  const { out, transform } = project(mapping, records, { 'gone.txt': 'gone@example.com\r\n' })
  const made = await transform()
  expect(made).toMatchObject({ code: 3 })
  expect(JSON.parse(made.stdout)).toMatchObject({
    records: { read: 4, mapped: 2, rejected: 1, filtered: 1 },
    children: { read: 5, filtered: 3 },
    events: { written: 2, rejected: 1, generated: 1 },
    filtered: { forgotten: 4 },
  })
  expect(textBelow(out)).not.toContain('gone@example')
})
