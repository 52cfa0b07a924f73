import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planColumns } from '../../src/inputs/csv-plan.ts'
import { listInputs } from '../../src/inputs/list.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { columnsElsewhere } from '../../src/transform/make-job.ts'
import { testFolder } from '../helpers/folder.ts'

const MAPPING = parseMapping(
  'columns: { total: { type: number }, "größe": { type: number }, typo: { type: number } }',
  'm',
).columns

async function inputsOf(files: Readonly<Record<string, string>>) {
  const folder = testFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return listInputs([folder])
}

test('of several tables one has to have a column, and a name that none has is a mistake', async () => {
  const inputs = await inputsOf({
    'orders.csv': '\ufeffid,total\n1,"2\n3"\n',
    'pages.tsv': 'id\turl\tgröße\n1\t/\t3\n',
    'more.ndjson': '{"typo":1}\n',
  })
  const elsewhere = await columnsElsewhere(MAPPING, inputs)
  expect(elsewhere).toEqual(['total', 'größe'])
  const lacking = { ...MAPPING, elsewhere: elsewhere! }
  expect(() => planColumns(['id', 'url', 'typo'], lacking, 'pages.csv')).not.toThrow()
  expect(() => planColumns(['id', 'url'], lacking, 'pages.csv')).toThrow(
    'pages.csv has no column "typo", which the mapping file names',
  )
})

test('all files of one table have to have it', async () => {
  const inputs = await inputsOf({ 'orders/0001.csv': 'id,total\n1,2\n', 'orders/0002.csv': 'id\n1\n' })
  expect(await columnsElsewhere(MAPPING, inputs)).toBeUndefined()
})

test('an empty table has no columns', async () => {
  const inputs = await inputsOf({ 'orders.csv': 'id,total\n', 'pages.csv': '\n\n,\n' })
  expect(await columnsElsewhere(MAPPING, inputs)).toEqual(['total'])
})
