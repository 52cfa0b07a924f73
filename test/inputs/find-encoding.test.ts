import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findEncoding } from '../../src/inputs/find-encoding.ts'
import { listInputs } from '../../src/inputs/list.ts'
import { testFolder } from '../helpers/folder.ts'

/** What is found for rows of a table whose cells are these bytes. */
async function found(cell: Buffer) {
  const path = join(testFolder(), 'a.csv')
  const row = (n: number) => Buffer.concat([Buffer.from(`order,u${n},`), cell, Buffer.from('\n')])
  writeFileSync(path, Buffer.concat([Buffer.from('event,distinct_id,note\n'), row(1), row(2)]))
  return findEncoding(await listInputs([path]))
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')

test.each([
  ['German', 'Größe des Füllers'],
  ['French', 'café à l’été'.replace('’', '\x92')],
  ['Icelandic', 'Þórður ætlaði í búð með Ýri'],
  ['Spanish with its signs', '¿Qué? 1ª fila, nº 3, 20 °C, ½ m²'],
])('%s is Windows-1252', async (_, text) => {
  expect(await found(latin1(text))).toMatchObject({ encoding: 'windows-1252', unknown: [] })
})

test.each([
  ['Turkish', latin1('Ay\xfee \xddstanbul \xdei\xfeli')],
  ['Lithuanian', latin1('\xd0iauliai ma\xfeas \xe0\xfeuolas')],
  ['Latvian of ISO 8859-4', latin1('m\xb1ja g\xb1ja')],
  ['Japanese of EUC', Buffer.from('a4b3a4f3a4cba4c1a4cf', 'hex')],
  ['Korean of EUC', Buffer.from('b1b8b8c5', 'hex')],
  ['the euro of ISO 8859-15', latin1('5 \xa4 für Müller')],
  ['Russian of KOI8', Buffer.from('f0d2c9d7c5d4', 'hex')],
])('%s is asked about', async (_, bytes) => {
  expect(await found(bytes)).toMatchObject({ encoding: undefined, unknown: ['a.csv'] })
})
