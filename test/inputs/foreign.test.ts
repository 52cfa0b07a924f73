import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import type { FileRemark } from '../../src/inputs/manifests/remark.ts'
import { scanRefusal } from '../../src/record/rules.ts'
import { testFolder } from '../helpers/folder.ts'
import { makeZip } from '../helpers/zip.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const file = (name: string, text = '{"event":"a"}\n') => ({ name, data: Buffer.from(text) })

async function refusalOf(name: string, content: Buffer): Promise<string> {
  const path = join(testFolder(), name)
  writeFileSync(path, content)
  return listInputs([path]).then(
    () => 'read',
    (error: Error & { hint?: string }) => `${error.message}: ${error.hint}`,
  )
}

test.each<[name: string, content: Buffer, told: RegExp]>([
  ['a.7z', bytes('7z\xbc\xaf\x27\x1c\0\x04aaaa'), /7z archive: unpack/],
  ['a.rar', bytes('Rar!\x1a\x07\x01\0aa'), /RAR archive/],
  ['a.ndjson.lz4', bytes('\x04"M\x18d@\xa7{"e'), /packed with lz4/],
  ['a.tar', bytes(`${'a.ndjson'.padEnd(257, '\0')}ustar\0\x30\x30`), /tar archive: unpack/],
  ['a.xls', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1aa'), /old Excel workbook.*CSV/],
  ['a.sqlite', bytes('SQLite format 3\0\x10\0\x01\x01\0@  \0\0\0\x02'), /SQLite database/],
  ['a.csv', bytes('<!DOCTYPE html>\n<html><head>'), /HTML page/],
  ['a.json', bytes('<?xml version="1.0"?>\n<Error/>'), /is XML/],
  ['a.csv', bytes('+/v8-event,distinct_id\n'), /UTF-7.*iconv/],
  ['a.csv', bytes('\xff\xfe\0\0e\0\0\0'), /UTF-32.*iconv/],
  ['a.ndjson', bytes('version https://git-lfs.github.com/spec/v1\noid sha256:4d\n'), /git lfs pull/],
  [
    'a.xlsx',
    makeZip([file('[Content_Types].xml'), file('xl/workbook.xml')]),
    /Excel workbook: save it as CSV/,
  ],
  ['a.ods', makeZip([file('mimetype'), file('content.xml')]), /OpenDocument.*CSV/],
])('%s is called what it is', async (name, content, told) => {
  expect(await refusalOf(name, content)).toMatch(told)
})

test('pages for people in an archive are skipped, and said', async () => {
  const path = join(testFolder(), 'export.zip')
  const papers = ['README.txt', 'docs/readme.md', 'LICENSE']
  writeFileSync(path, makeZip([file('a.ndjson'), ...papers.map((name) => file(name, 'Read me.'))]))
  const remarks: FileRemark[] = []
  const inputs = await listInputs([path], { remark: (one) => remarks.push(one) })
  expect(inputs.map(({ name }) => name)).toEqual(['export.zip/a.ndjson'])
  expect(remarks).toEqual([{ what: 'papers', vendor: 'export.zip', names: papers }])
})

test.each([
  ['terminated early', /cut short: fetch it again/],
  ["{'event': 'a', 'ok': True}", /Python.*json\.dumps/],
  ['<html><body>Sign in', /HTML page/],
  ['{"a":', /^not valid JSON/],
])('a line that begins with %j says what it is', (line, told) => {
  expect(scanRefusal('bad_json', 1, Buffer.from(line)).message).toMatch(told)
})
