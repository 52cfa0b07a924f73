import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import { assertUnchanged } from '../../src/pipeline/inputs-unchanged.ts'
import { S3Store } from '../../src/store/s3.ts'
import { testBucket } from '../helpers/bucket.ts'
import { testFolder } from '../helpers/folder.ts'
import { makeZip } from '../helpers/zip.ts'
import { Collected } from '../inputs/collected.ts'

const server = testBucket()

const line = '{"a":1}\n'

test('a file that was written to is told', async () => {
  const path = join(testFolder(), 'a.ndjson')
  writeFileSync(path, line)
  const inputs = await listInputs([path])
  await assertUnchanged(inputs)
  utimesSync(path, 1, 1)
  await expect(assertUnchanged(inputs)).rejects.toMatchObject({
    code: 'input',
    message: `${path} was changed while it was read`,
  })
})

test.each([
  ['a line', 'a.ndjson', Buffer.from(line), Buffer.from('{"b":1}\n')],
  [
    'an archive',
    'a.zip',
    makeZip([{ name: 'a.ndjson', data: Buffer.from(line), stored: true }]),
    makeZip([{ name: 'a.ndjson', data: Buffer.from('{"b":1}\n'), stored: true }]),
  ],
])(
  'an object that was replaced by another of its size is told, and not read: %s',
  async (_, name, one, other) => {
    const location = server.location(`inputs-${name}`)
    const store = new S3Store(location)
    await store.put(name, one)
    const inputs = await listInputs([location])
    expect(await listInputs([store.address(name)])).toMatchObject(inputs.map(({ etag }) => ({ etag })))
    await readRecords(inputs[0]!, new Collected())
    await store.put(name, other)
    expect(other).toHaveLength(one.length)
    const all = new Collected()
    await expect(readRecords(inputs[0]!, all)).rejects.toMatchObject({ code: 'mismatch' })
    expect(all.lines).toEqual([])
  },
)
