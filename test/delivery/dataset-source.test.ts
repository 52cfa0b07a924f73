import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DatasetSource } from '../../src/delivery/dataset-source.ts'
import { EventLineReader } from '../../src/delivery/line-reader.ts'
import { LocalStore } from '../../src/store/local.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { makeEvent } from '../helpers/events.ts'
import { FakePost } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile } from '../helpers/import-run.ts'

const DAYS = [1, 2, 3, 4]

async function writeDays(folder: string) {
  const events = Array.from({ length: 200 }, (_, n) => makeEvent(n, { day: 1 + Math.floor(n / 50), ids: 9 }))
  await writeDataset(
    folder,
    DAYS.map((day) => ({ file: `2024-01-0${day}.ndjson`, events: events.slice((day - 1) * 50, day * 50) })),
  )
  return events
}

async function imported(folder: string, post: FakePost, path: string) {
  const source = await DatasetSource.open(new LocalStore(folder))
  return importFile({ path, post, source, reader: new EventLineReader('$groupidentify') })
}

test.each(DAYS)('of a part that was changed nothing is sent, and all before it is (day %i)', async (day) => {
  const folder = testFolder()
  const events = await writeDays(folder)
  appendFileSync(join(folder, `2024-01-0${day}.ndjson`), '\n')
  const post = new FakePost()
  const { error } = await imported(folder, post, join(testFolder(), 'state'))
  expect(error).toMatchObject({
    code: 'mismatch',
    message: expect.stringContaining(`2024-01-0${day}.ndjson`),
  })
  const before = events.slice(0, (day - 1) * 50)
  expect(post.accepted.map(({ uuid }) => uuid)).toEqual(before.map(({ uuid }) => uuid))
})

test('a part that is changed while the one before it is sent is noticed', async () => {
  const folder = testFolder()
  const events = await writeDays(folder)
  const post = new FakePost()
  const send = post.send.bind(post)
  let sent = 0
  post.send = async (packed) => {
    if (sent++ === 0) appendFileSync(join(folder, '2024-01-04.ndjson'), '\n')
    return send(packed)
  }
  const { error } = await imported(folder, post, join(testFolder(), 'state'))
  expect(error).toMatchObject({ code: 'mismatch', message: expect.stringContaining('2024-01-04.ndjson') })
  expect(post.accepted).toHaveLength(events.length - 50)
})
