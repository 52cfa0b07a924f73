import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { listInputs, naturalOrder, parseGlob } from '../../src/inputs/list.ts'
import type { FileRemark } from '../../src/inputs/manifests/remark.ts'
import { formatReject } from '../../src/record/reject.ts'
import { scanRefusal } from '../../src/record/rules.ts'
import { folderOf, testFolder } from '../helpers/folder.ts'
import { makeZip } from '../helpers/zip.ts'

const line = '{"event":"a"}\n'
const reject = formatReject({ line: 1, offset: 0, reason: 'bad_json', message: 'm', record: '{' })
const names = async (...paths: string[]) => (await listInputs(paths)).map((file) => file.name)

test('a folder is listed in natural order, whatever posthaul keeps in it left out', async () => {
  const folder = folderOf({
    'part-10.ndjson': line,
    'part-9.ndjson': line,
    'part-009.ndjson': line,
    'sub/deep/b.csv': 'a,b\n',
    'a.json.gz': gzipSync('[{"a":1}]'),
    'manifest.json': '{}',
    'sub/manifest.json': '{}',
    'sub/counts/2024-03-01.counts.json.gz': gzipSync('{}'),
    'rejects.ndjson': reject,
    'part-9.ndjson.rejects.ndjson': reject,
    'part-9.ndjson.rejects.ndjson.old': reject,
    'part-9.ndjson.rejects.ndjson.old2': reject,
    'part-9.ndjson.checkpoint.json': '{}',
    'part-9.ndjson.checkpoint.json.previous': '{}',
    'part-9.ndjson.sent.ndjson': '{}',
    'part-9.ndjson.persons/state.json': '{}',
    'part-9.ndjson.persons/000000.ndjson': line,
    'part-9.ndjson.undo.json': '{}',
    'part-9.ndjson.verified.json': '{}',
    'part-9.ndjson.missing.ndjson': line,
    'part-9.ndjson.missing-2.ndjson': line,
    'teeth.missing.ndjson': line,
    'sub/arrival.ndjson': line,
    'sub/links.ndjson': line,
    'links.ndjson/links.ndjson': line,
    'emails.sent.ndjson': line,
    'c0ffee.undo.json': '{}',
    'part-9.ndjson.own.ndjson': '{}',
    'part-9.ndjson.own.0001.ndjson': '{}',
    'part-9.ndjson.rejects.0001.ndjson': '{}',
    'part-9.ndjson.lock': '{}',
    'events.lock.takeover': '{}',
    '.hidden.ndjson': line,
    '.git/config': 'x',
  })
  expect(await names(folder)).toEqual(
    `a.json.gz emails.sent.ndjson links.ndjson/links.ndjson part-009.ndjson part-9.ndjson part-10.ndjson
     sub/deep/b.csv teeth.missing.ndjson`.split(/\s+/),
  )
})

test('says what each file is', async () => {
  const folder = folderOf({ 'b.tsv.gz': gzipSync('x\ty\n1\t2\n'), 'a.ndjson': line })
  expect(await listInputs([folder])).toEqual([
    {
      path: join(folder, 'a.ndjson'),
      name: 'a.ndjson',
      table: 'a',
      size: line.length,
      mtimeMs: expect.any(Number),
      format: 'ndjson',
      compression: 'none',
      delimiter: undefined,
      rejects: false,
    },
    expect.objectContaining({ format: 'tsv', compression: 'gzip', delimiter: '\t' }),
  ])
})

test('the list does not depend on how it was asked for, and has each file once', async () => {
  const folder = folderOf({ 'a.ndjson': line, 'b.ndjson': line, 'c/d.ndjson': line })
  await symlink('a.ndjson', join(folder, 'z.ndjson'))
  const [a, b] = [join(folder, 'a.ndjson'), join(folder, 'b.ndjson')]
  expect(await names(b, a)).toEqual(await names(a, b))
  expect(await names(a, folder, b)).toEqual(['a.ndjson', 'b.ndjson', 'c/d.ndjson'])
})

test('inputs of one name are told apart by their paths', async () => {
  const folder = folderOf({ '2023/a.ndjson': line, '2024/a.ndjson': line })
  const [old, young] = [join(folder, '2023'), join(folder, '2024')]
  expect(await names(old, young)).toEqual([join(old, 'a.ndjson'), join(young, 'a.ndjson')])
})

test('globs are matched below the folder they begin with', async () => {
  const folder = folderOf({
    'a1.ndjson': line,
    'a2.ndjson': line,
    'b.ndjson': line,
    'x/a3.ndjson': line,
    'rejects.ndjson': reject,
  })
  expect(await names(`${folder}/a*.ndjson`)).toEqual(['a1.ndjson', 'a2.ndjson'])
  expect(await names(`${folder}/**/*.ndjson`)).toEqual(['a1.ndjson', 'a2.ndjson', 'b.ndjson', 'x/a3.ndjson'])
  await expect(names(`${folder}/zzz*`)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('zzz*'),
  })
})

test('a file whose name looks like a glob is that file', async () => {
  const folder = folderOf({ 'a[1]*.ndjson': line, 'a1.ndjson': line })
  expect(await names(`${folder}/a[1]*.ndjson`)).toEqual(['a[1]*.ndjson'])
})

test('rejects and own events among inputs of their folder come from a pattern that the shell resolved', async () => {
  const folder = folderOf({
    'a.ndjson': '{}',
    'a.rejects.ndjson': reject,
    'a.own.ndjson': '{}',
    'b/c.ndjson': '{}',
  })
  const at = (name: string) => join(folder, name)
  for (const own of ['a.rejects.ndjson', 'a.own.ndjson'])
    await expect(listInputs([at('a.ndjson'), at(own)])).rejects.toMatchObject({
      code: 'input',
      hint: expect.stringContaining('in quotes'),
    })
  expect(await listInputs([at('a.rejects.ndjson'), at('b'), at('b/c.ndjson')])).toHaveLength(2)
  expect(await names(at('*.ndjson'))).toEqual(['a.ndjson'])
})

test('a rejects file is read when it is named, and pointed out when it is all there is', async () => {
  const folder = folderOf({ 'rejects.ndjson': reject, 'manifest.json': '{}' })
  const path = join(folder, 'rejects.ndjson')
  expect(await listInputs([path])).toMatchObject([{ format: 'ndjson', rejects: true }])
  await expect(listInputs([folder])).rejects.toMatchObject({
    code: 'input',
    hint: expect.stringContaining(path),
  })
})

test('what is missing is said with its path', async () => {
  const folder = folderOf({})
  for (const path of [join(folder, 'gone.ndjson'), folder, join(folder, 'gone', '*.gz')]) {
    await expect(listInputs([path])).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining(path),
      hint: expect.any(String),
    })
  }
})

test('a pipe is no input, named or in a folder', async () => {
  const folder = folderOf({ 'a.ndjson': line })
  execFileSync('mkfifo', [join(folder, 'pipe')])
  await expect(listInputs([folder])).rejects.toMatchObject({
    code: 'input',
    message: `${join(folder, 'pipe')} is a pipe, a socket or a device, and has no content to keep`,
  })
  await expect(listInputs([join(folder, 'pipe')])).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('not an ordinary file'),
  })
})

test.each([
  ['raw/2024-*.gz', 'raw', ['2024-01.gz', '2024-.gz'], ['x2024-1.gz', 'a/2024-1.gz', '2024-1.gzz']],
  ['*.{json,csv}', '.', ['a.json', 'b.csv'], ['a.tsv', 'a.json.gz']],
  ['/data/**/*.json', '/data', ['a.json', 'x/y/a.json'], ['a.jsonl']],
  ['/*', '/', ['a'], ['a/b']],
  ['a/b/part-?[0-9][!x].gz', 'a/b', ['part-a1b.gz'], ['part-a1x.gz', 'part-ab1.gz', 'part-/1b.gz']],
  ['a/{b,c*}/x', 'a', ['b/x', 'cd/x'], ['d/x']],
  ['x/**', 'x', ['a', 'a/b'], []],
  ['a+(b)*[', '.', ['a+(b)c['], ['ab[']],
])('the glob %s', (pattern, folder, matched, others) => {
  const glob = parseGlob(pattern)!
  expect(glob.folder).toBe(folder)
  for (const name of matched) expect([name, glob.matches(name)]).toEqual([name, true])
  for (const name of others) expect([name, glob.matches(name)]).toEqual([name, false])
})

test('a plain path is no glob', () => {
  expect(parseGlob('raw/2024-01-01.ndjson')).toBeUndefined()
})

test('natural order is by number where there are numbers', () => {
  const ordered = [
    ...['', 'a', 'a1', 'a1b', 'a02', 'a2', 'a10', 'a99999999999999999998', 'a99999999999999999999', 'b'],
  ]
  for (let i = 0; i < ordered.length; i++) {
    for (let j = 0; j < ordered.length; j++) {
      expect([ordered[i], ordered[j], Math.sign(naturalOrder(ordered[i]!, ordered[j]!))]).toEqual([
        ordered[i],
        ordered[j],
        Math.sign(i - j),
      ])
    }
  }
})

const bytes = (text: string) => Buffer.from(text, 'latin1')
const file = (name: string, text = '{"event":"a"}\n') => ({ name, data: Buffer.from(text) })

test.each<[name: string, content: Buffer, told: RegExp]>([
  ['readme.md', bytes('# Export\n\nSome words.\n'), /is neither JSON nor a table/],
  ['photo.jpg', bytes('\xff\xd8\xff\xe0\0\x10JFIF'), /is not text/],
  ['a.zip', bytes('PK\x03\x04rest'), /no whole zip archive/],
  ['a.ndjson.zst', bytes('\x28\xb5\x2f\xfdrest'), /is packed with zstd/],
  ['a.ndjson.gz', gzipSync(gzipSync(line)), /packed with gzip twice/],
  ['a.7z', bytes('7z\xbc\xaf\x27\x1c\0\x04aaaa'), /7z archive: unpack/],
  ['a.rar', bytes('Rar!\x1a\x07\x01\0aa'), /RAR archive/],
  ['a.ndjson.lz4', bytes('\x04"M\x18d@\xa7{"e'), /packed with lz4/],
  ['a.tar', bytes(`${'a.ndjson'.padEnd(257, '\0')}ustar\0\x30\x30`), /tar archive: unpack/],
  ['a.xls', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1aa'), /old Excel workbook.*CSV/],
  ['a.sqlite', bytes('SQLite format 3\0\x10\0\x01\x01\0@  \0\0\0\x02'), /SQLite database/],
  ['a.csv', bytes('<!DOCTYPE html>\n<html><head>'), /HTML page/],
  ['a.json', bytes('<?xml version="1.0"?>\n<Error/>'), /is XML/],
  ['fh', bytes('{"event":"a"}{"event":"b","x":"{"}'), /without line ends.*jq -c/],
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
  const folder = folderOf({ [name]: content, 'b.ndjson': line })
  const error = await listInputs([folder]).catch((caught: Error & { hint?: string }) => caught)
  expect(error).toMatchObject({ code: 'input', message: expect.stringContaining(join(folder, name)) })
  expect(`${(error as Error).message}: ${(error as { hint?: string }).hint}`).toMatch(told)
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

test.each([
  ['Delta', 't/_delta_log/0.json', 't/day=1/a.parquet'],
  ['Hudi', 't/.hoodie/hoodie.properties', 't/a.parquet'],
  ['Iceberg', 't/metadata/v1.metadata.json', 't/data/day=1/a.parquet'],
])('the files of a %s table are refused: its log says which of them count', async (kind, log, file) => {
  const folder = folderOf({ [log]: '{}', [file]: 'PAR1', 't/day=1/b.parquet': 'PAR1' })
  for (const path of [join(folder, 't'), join(folder, file), join(folder, 't/**/*.parquet')])
    await expect(listInputs([path])).rejects.toThrow(
      `t is a`.concat(kind === 'Iceberg' ? 'n' : '', ` ${kind} table`),
    )
})

test('folders that say the value of a column are spoken of, and those whose name is read are not', async () => {
  const remarks: FileRemark[] = []
  const files = ['dt=2024-03-01/a=b/x.ndjson', 'event_type=users.x/y.ndjson', 'z.ndjson']
  const folder = folderOf(Object.fromEntries(files.map((name) => [name, line])))
  await listInputs([folder], { remark: (one) => remarks.push(one) })
  expect(remarks).toEqual([{ what: 'partitioned', vendor: 'the input', names: [files[0]] }])
})
