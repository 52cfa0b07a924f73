import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { CheckpointState } from '../../src/delivery/checkpoint.ts'
import { DatasetSource } from '../../src/delivery/dataset-source.ts'
import { FileSource } from '../../src/delivery/file-source.ts'
import { FilesSource } from '../../src/delivery/files-source.ts'
import type { InputSource } from '../../src/delivery/intake.ts'
import { type Place, PlaceCheck } from '../../src/delivery/place.ts'
import { openStore } from '../../src/store/open.ts'
import { loadCheckpoint, saveCheckpoint } from '../helpers/checkpoint.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { FakePost } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile, statePaths } from '../helpers/import-run.ts'

describe('a place in a text', () => {
  const TEXT = 'one\ntwo\n\nfour\r\nfive'
  const place = (offset: number, line: number): Place => ({ part: 0, offset, line })

  /** Reads the text in chunks of `size` bytes. */
  function check(places: readonly Place[], size: number, whole = true) {
    const made = new PlaceCheck('text', places)
    for (let at = 0; at < TEXT.length; at += size) made.push(Buffer.from(TEXT.slice(at, at + size)))
    made.end(whole)
  }

  const LINES = [place(0, 1), place(4, 2), place(8, 3), place(9, 4), place(15, 5)]

  test.each([1, 2, 3, 5, 100])('is found where a line begins, in chunks of %i bytes', (size) => {
    check(LINES, size)
    check(LINES.toReversed(), size)
    for (const line of LINES) check([line, line], size)
    // The last line has no end, and was read all the same. The end of its line may have come since then.
    check([place(TEXT.length, 5), place(13, 4)], size)
    for (let offset = 0; offset <= TEXT.length + 3; offset++) {
      const known = [...LINES, place(3, 1), place(7, 2), place(13, 4), place(14, 4), place(TEXT.length, 5)]
      for (let line = 1; line < 8; line++) {
        const sound = known.some((one) => one.offset === offset && one.line === line)
        const checked = () => check([LINES[1]!, place(offset, line), LINES[4]!], size)
        if (sound) checked()
        else expect(checked, `${offset} ${line}`).toThrow(/^the checkpoint says to go on at byte/)
      }
    }
    expect(() => check([place(TEXT.length, 5)], size, false)).toThrow('inside line 5')
  })
})

describe('a checkpoint whose place is not in the input', () => {
  const events = Array.from({ length: 60 }, (_, n) => makeEvent(n, { day: 1 + Math.floor(n / 20) }))
  const lines = events.map((event) => `${eventLine(event)}\n`)

  interface Input {
    readonly path: string
    readonly open: () => Promise<InputSource>
    /** Where the 31st event is. */
    readonly sound: Place
    readonly part: RegExp
  }

  async function file(pack = (text: string): Buffer => Buffer.from(text)): Promise<Input> {
    const path = join(testFolder(), 'events.ndjson')
    writeFileSync(path, pack(lines.join('')))
    const sound = { part: 0, offset: Buffer.byteLength(lines.slice(0, 30).join('')), line: 31 }
    return { path, open: () => FileSource.open(path), sound, part: /file 8, and events.ndjson is the only/ }
  }

  const inFiles = { offset: Buffer.byteLength(lines.slice(20, 30).join('')), line: 11 }

  async function files(): Promise<Input> {
    const folder = testFolder()
    const named = [0, 1, 2].map((n) => {
      const text = lines.slice(20 * n, 20 * n + 20).join('')
      const path = join(folder, `${n}.ndjson`)
      writeFileSync(path, text)
      return { path, name: `${n}.ndjson`, size: Buffer.byteLength(text) }
    })
    return {
      path: join(folder, 'all'),
      open: () => FilesSource.open(named),
      sound: { part: 1, ...inFiles },
      part: /byte \d+ of file 8, and 3 of 3 files were read/,
    }
  }

  async function dataset(): Promise<Input> {
    const folder = join(testFolder(), 'events')
    const day = (n: number) => ({
      file: `2024-01-0${n}.ndjson.gz`,
      events: events.slice(20 * n - 20, 20 * n),
    })
    await writeDataset(folder, [day(1), { ...day(2), file: '2024-01-02.ndjson' }, day(3)])
    return {
      path: folder,
      open: async () => DatasetSource.open(await openStore(folder)),
      sound: { part: 1, ...inFiles },
      part: /byte \d+ of part 8, and .* has 3/,
    }
  }

  async function resumed(input: Input, places: readonly Place[]) {
    const { checkpoint: checkpointPath } = statePaths(input.path)
    const { path } = input
    const post = new FakePost()
    const lanes = places.length
    await importFile({ path, post, lanes, source: await input.open() })
    const { state } = (await loadCheckpoint(checkpointPath))!
    // What comes after the place is not delivered yet.
    const counts = { ...state.counts, delivered: state.counts.delivered - 30 }
    const moved: CheckpointState = { ...state, counts, places: [...places], done: false }
    await saveCheckpoint(checkpointPath, moved)
    const before = post.accepted.length
    const outcome = await importFile({ path, post, lanes, source: await input.open() })
    return { outcome, sent: post.accepted.length - before }
  }

  const KINDS: [string, () => Promise<Input>][] = [
    ['a file', () => file()],
    ['a packed file', () => file((text) => gzipSync(text))],
    ['files', files],
    ['a dataset', dataset],
  ]

  test.each(KINDS)('%s: a place between two lines is taken', async (_, make) => {
    const input = await make()
    const { outcome, sent } = await resumed(input, [input.sound])
    expect([outcome.error, sent]).toEqual([undefined, 30])
  })

  test.each(KINDS)('%s: any other is refused, and nothing is sent', async (_, make) => {
    const wrong: [(sound: Place) => Place, RegExp][] = [
      [
        (sound) => ({ ...sound, offset: 10_000_000 }),
        /at byte 10000000 \(line \d+\) of .*, of which \d+ bytes/,
      ],
      [(sound) => ({ ...sound, offset: sound.offset + 5 }), /inside line \d+$/],
      [(sound) => ({ ...sound, line: sound.line + 1 }), /and line \d+ begins there$/],
      [(sound) => ({ ...sound, part: 7 }), (await make()).part],
    ]
    for (const [bend, message] of wrong) {
      for (const lanes of [1, 3]) {
        const input = await make()
        const places = Array.from({ length: lanes }, () => input.sound).with(-1, bend(input.sound))
        await expect(resumed(input, places)).rejects.toMatchObject({
          code: 'mismatch',
          message: expect.stringMatching(message),
        })
      }
    }
  })
})
