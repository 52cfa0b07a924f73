import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FileSource } from '../../src/delivery/file-source.ts'
import { FilesSource } from '../../src/delivery/files-source.ts'
import { conserved } from '../../src/record/counts.ts'
import { eventLine, identity, makeEvent, type TestEvent } from '../helpers/events.ts'
import { FakePost, OK, type Sent } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile } from '../helpers/import-run.ts'
import { seeded, seedOf } from '../helpers/random.ts'

const seed = seedOf('files')
const EACH = 120

interface Files {
  readonly folder: string
  readonly events: TestEvent[]
  readonly names: string[]
}

/** Files of events, one a day, every second one packed. */
function filesOf(count: number): Files {
  const folder = testFolder()
  const names: string[] = []
  const events: TestEvent[] = []
  for (let file = 0; file < count; file++) {
    const ofDay = Array.from({ length: EACH }, (_, n) => makeEvent(file * EACH + n, { day: file + 1 }))
    const name = `day-${file + 1}.ndjson${file % 2 ? '.gz' : ''}`
    const text = ofDay.map((event) => `${eventLine(event)}\n`).join('')
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text)
    names.push(name)
    events.push(...ofDay)
  }
  return { folder, events, names }
}

function open({ folder }: Pick<Files, 'folder'>, names: readonly string[]): Promise<FilesSource> {
  const named = names.map((name) => ({
    name,
    path: join(folder, name),
    size: statSync(join(folder, name)).size,
  }))
  return FilesSource.open(named)
}

async function run(
  files: Files,
  names: readonly string[],
  setup: Partial<Parameters<typeof importFile>[0]> = {},
) {
  const post = new FakePost(() => OK)
  const source = await open(files, names)
  const outcome = await importFile({ path: join(files.folder, 'state'), post, source, ...setup })
  expect(conserved(outcome.counts)).toBe(true)
  return { ...outcome, post, sent: post.accepted.map(identity) }
}

test('are imported one after another, as one import', async () => {
  const files = filesOf(3)
  const { counts, sent, error } = await run(files, files.names)
  expect(error).toBeUndefined()
  expect(counts).toMatchObject({ read: 3 * EACH, written: 3 * EACH })
  expect(sent).toEqual(files.events.map(identity))
})

test.each([1, 2, 3, 4, 5, 6])('cut off at random places, lose nothing: case %i', async (lane) => {
  const roll = seeded(seed + lane)
  const files = filesOf(5)
  const delivered = new Set<string>()
  let runs = 0
  for (let done = false; !done; runs++) {
    const stop = new AbortController()
    let left = 1 + Math.floor(roll() * 12)
    const post = new FakePost(({ events }) => {
      if (--left === 0) stop.abort()
      for (const event of events) delivered.add(identity(event))
      return OK
    })
    const limits = { events: 10, bytes: 1e6 }
    const { error } = await run(files, files.names, {
      post,
      limits,
      lanes: 1 + (lane % 3),
      interrupted: stop.signal,
    })
    done = error === undefined
  }
  expect(runs).toBeGreaterThan(2)
  expect([...delivered].sort()).toEqual(files.events.map(identity).sort())
})

test('go on when a file has come after the last, or the last has grown', async () => {
  const files = filesOf(4)
  await run(files, files.names.slice(0, 3))
  const grown = makeEvent(9000, { day: 3 })
  const offset = statSync(join(files.folder, files.names[2]!)).size
  appendFileSync(join(files.folder, files.names[2]!), `${eventLine(grown)}\n`)
  // The persons of what is new are looked up by a reading of its own, which begins there.
  const texts: Buffer[] = []
  for await (const { chunks } of (await open(files, files.names)).pieces({ part: 2, offset, line: EACH + 1 }))
    for await (const chunk of chunks) texts.push(Buffer.from(chunk))
  const rest = [grown, ...files.events.slice(3 * EACH)]
  expect(Buffer.concat(texts).toString()).toBe(rest.map((event) => `${eventLine(event)}\n`).join(''))
  const next = await run(files, files.names)
  expect(next.error).toBeUndefined()
  expect(next.sent).toEqual(rest.map(identity))
})

test('go on where one file alone was begun', async () => {
  const files = filesOf(2)
  await importFile({
    path: join(files.folder, 'state'),
    post: new FakePost(() => OK),
    source: await FileSource.open(join(files.folder, files.names[0]!)),
  })
  const { sent, error } = await run(files, files.names)
  expect(error).toBeUndefined()
  expect(sent).toEqual(files.events.slice(EACH).map(identity))
})

describe('refuse, with nothing sent,', () => {
  const add = ({ folder }: Files, name: string) =>
    writeFileSync(join(folder, name), `${eventLine(makeEvent(9999))}\n`)
  /** Neither file is packed. */
  const edit = ({ folder, names }: Files, at: number) => {
    const path = join(folder, names[at]!)
    writeFileSync(path, readFileSync(path, 'utf8').replace('signed up', 'signed uq'))
    return names
  }
  test.each<[about: string, change: (files: Files) => string[], words: RegExp]>([
    [
      'a file that grew after it was passed',
      (files) => {
        appendFileSync(join(files.folder, files.names[0]!), `${eventLine(makeEvent(9999))}\n`)
        return files.names
      },
      /had \d+ bytes/,
    ],
    [
      'a file that was edited after it was passed',
      (files) => edit(files, 0),
      /one of the 2 files before day-3.ndjson was changed/,
    ],
    [
      'a file that came among those passed',
      (files) => {
        add(files, 'day-0.ndjson')
        return ['day-0.ndjson', ...files.names]
      },
      /now come before/,
    ],
    ['a file that went away', (files) => files.names.slice(1), /files were read|come before/],
    ['the last file edited', (files) => edit(files, 2), /day-3.ndjson/],
  ])('%s', async (_, change, words) => {
    const files = filesOf(3)
    await run(files, files.names)
    const names = change(files)
    const post = new FakePost(() => OK)
    const again = run(files, names, { post })
    await expect(again).rejects.toMatchObject({ code: 'mismatch', message: expect.stringMatching(words) })
    expect(post.requests).toEqual([])
  })
})

test('a reject says which file it is from, whoever refused it', async () => {
  const files = filesOf(2)
  appendFileSync(join(files.folder, files.names[0]!), '{"event":"e"}\n')
  const refused = ({ events }: Sent) => events.some(({ properties }) => properties.n === EACH)
  const post = new FakePost((request) =>
    refused(request) ? { status: 400, headers: {}, body: 'invalid event' } : OK,
  )
  const { counts } = await run(files, files.names, { post })
  expect(counts.rejected).toBe(2)
  const lines = readFileSync(join(files.folder, 'state.rejects.ndjson'), 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { file: 'day-1.ndjson', line: EACH + 1, reason: 'distinct_id_missing' },
    { file: 'day-2.ndjson.gz', line: 1, offset: 0, reason: 'refused_by_service' },
  ])
})
