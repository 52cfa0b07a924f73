import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import { NO_COLUMNS } from '../../src/mapping/columns.ts'
import { testFolder } from '../helpers/folder.ts'

async function recordsOf(name: string, text: string, names?: string[]): Promise<string[]> {
  const path = join(testFolder(), name)
  writeFileSync(path, text)
  const [input] = await listInputs([path])
  const found: string[] = []
  await readRecords(
    input!,
    {
      line: (bytes, start, end) => found.push(bytes.toString('utf8', start, end)),
      tooLong() {},
      reject: ({ reason, message }) => found.push(`${reason}: ${message}`),
      unusable() {},
    },
    names ? { columns: { ...NO_COLUMNS, names } } : {},
  )
  return found
}

const wanted = ['{"event":"e","n":1.0}', '{"event":"f","n":2}']

test.each<[what: string, name: string, text: string, names?: string[]]>([
  ['JSONCompactEachRowWithNames', 'x.ndjson', '["event", "n"]\n["e", 1.0]\n["f", 2]\n'],
  [
    'JSONCompactEachRowWithNamesAndTypes',
    'x.json',
    '["event", "n"]\n["String", "Nullable(Float64)"]\n["e", 1.0]\n["f", 2]\n',
  ],
  ['JSONCompactEachRow, named by hand', 'x.ndjson', '["e", 1.0]\n["f", 2]\n', ['event', 'n']],
])('rows of %s are records of their names, to the byte', async (_, name, text, names) => {
  expect(await recordsOf(name, text, names)).toEqual(wanted)
})

test('rows without names are refused, and one of another width is a reject', async () => {
  await expect(recordsOf('x.ndjson', '["e", 1]\n["f", 2]\n')).rejects.toThrow(/rows without names/)
  const [, reject] = await recordsOf('x.ndjson', '["event", "n"]\n["e", 1]\n["f"]\n')
  expect(reject).toBe('csv_field_count: the row has 1 values, and 2 names')
})

test.each([
  ['blanks after commas', 'event, user, at\ne, u1, "a, b"\nf, u2,  x \n'],
  ['blanks before commas', 'event ,user ,at\ne ,u1 ,"a, b"\nf ,u2 , x\n'],
  ['CR CR LF', 'event,user,at\r\r\ne,u1,"a, b"\r\r\nf,u2,x\r\r\n'],
  ['a byte order mark in the middle', 'event,user,at\ne,u1,"a, b"\n\uFEFFf,u2,x\n'],
])('%s leave nothing in names and values', async (_, text) => {
  expect(await recordsOf('x.csv', text)).toEqual([
    '{"event":"e","user":"u1","at":"a, b"}',
    '{"event":"f","user":"u2","at":"x"}',
  ])
})

test('blanks of cells stay where no rule of the table takes them away', async () => {
  expect(await recordsOf('x.csv', 'event,note\ne, a \nf,b\ng,c\n')).toContain('{"event":"e","note":" a "}')
})
