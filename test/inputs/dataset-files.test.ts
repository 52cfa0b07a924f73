import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { type FileRemark, remarkWords } from '../../src/inputs/manifests/remark.ts'
import { folderOf } from '../helpers/folder.ts'

const LINE = '{"event":"a"}\n'
const SHA = 'a'.repeat(64)

async function names(root: string): Promise<string[]> {
  return (await listInputs([root])).map((input) => input.name)
}

function manifest(parts: string[]) {
  return {
    version: 2,
    kind: 'raw',
    tool: 'posthaul 0.1.0',
    created_at: '2024-03-01T00:00:00Z',
    source: {},
    parts: parts.map((file) => ({
      file,
      window: file,
      events: 1,
      bytes: LINE.length,
      sha256: SHA,
      first: null,
      last: null,
    })),
    records: parts.length,
  }
}

test('of a dataset, the parts that its manifest names', async () => {
  const files = { 'b.ndjson': LINE, 'a.ndjson': LINE, 'stray.ndjson': LINE, 'export.json': {} }
  const root = folderOf({ ...files, 'manifest.json': manifest(['a.ndjson', 'b.ndjson']) })
  const remarks: FileRemark[] = []
  const found = await listInputs([root], { remark: (one) => remarks.push(one) })
  expect(found.map((input) => input.name)).toEqual(['a.ndjson', 'b.ndjson'])
  expect(remarks.map(remarkWords)).toEqual([
    '1 file of the dataset (stray.ndjson) left out: no manifest names them, so they may be old, or not all there',
  ])
})

test('a dataset with a part that is gone or changed is refused', async () => {
  const gone = folderOf({ 'a.ndjson': LINE, 'manifest.json': manifest(['a.ndjson', 'b.ndjson']) })
  await expect(names(gone)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('b.ndjson'),
  })
  const changed = folderOf({ 'a.ndjson': `${LINE}${LINE}`, 'manifest.json': manifest(['a.ndjson']) })
  await expect(names(changed)).rejects.toMatchObject({ code: 'input' })
})

test('an export that has not finished is refused', async () => {
  const root = folderOf({ 'a.ndjson': LINE, 'export.json': {} })
  await expect(names(root)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('has not finished'),
  })
})

test("a batch export's manifests vouch for its files, and are none", async () => {
  const files = {
    '2024/a-b-0.jsonl': LINE,
    '2024/a-b-1.jsonl': LINE,
    '2024/c-d.jsonl': LINE,
    '2024/a-b_manifest.json': { files: ['prefix/2024/a-b-0.jsonl', 'prefix/2024/a-b-1.jsonl'] },
  }
  expect(await names(folderOf(files))).toEqual(['2024/a-b-0.jsonl', '2024/a-b-1.jsonl', '2024/c-d.jsonl'])
  const { '2024/a-b-1.jsonl': _, ...cut } = files
  await expect(names(folderOf(cut))).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('a-b-1.jsonl'),
  })
})

test("another program's manifest.json is passed over", async () => {
  expect(await names(folderOf({ 'a.ndjson': LINE, 'manifest.json': { name: 'web app' } }))).toEqual([
    'a.ndjson',
  ])
})
