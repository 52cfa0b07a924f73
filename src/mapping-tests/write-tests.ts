import { dirname, relative } from 'node:path'
import type { InputFile } from '../inputs/input-file.ts'
import type { Io } from '../io.ts'
import { type ColumnMapping, NO_COLUMNS } from '../mapping/columns.ts'
import type { TestSource } from '../mapping/mapping-tests.ts'
import { members } from '../record/json-values.ts'
import { textIn } from '../record/text.ts'
import { findByNumber } from '../studio/find-record.ts'
import { readMapping, saveMapping } from '../studio/mapping-on-disk.ts'
import { runTest, type TestedRules } from './run-test.ts'
import { STATED, testFileOf } from './test-sets.ts'
import { type WrittenTest, withTests } from './test-text.ts'

/** A record that a test is to be written of. */
interface TestableRecord {
  readonly name: string
  readonly source: WrittenTest['source']
  readonly table: string | undefined
  readonly brief?: true
}

/** A record, and where it was found. */
interface ReadRecord {
  readonly input: InputFile
  /** Undefined where the reading began in the middle of the file. */
  readonly number: number | undefined
  readonly record: string
  /** The name that the source gives the event, or what became of the record. */
  readonly about: string
}

/** A record as a test has it: of a table of text as a row, so that the test is of its columns, too. */
export async function testableRecord(
  { input, number, record, about }: ReadRecord,
  { columns, withTable }: { readonly columns: ColumnMapping; readonly withTable: boolean },
  { interrupted: stop }: Pick<Io, 'interrupted'>,
): Promise<TestableRecord> {
  const isTable = (input.format === 'csv' || input.format === 'tsv') && number !== undefined
  let source: TestSource = { kind: 'record', json: record }
  if (isTable) {
    const { header, names, escapes } = columns
    // A column without a name is left out by every mapping file that can be used.
    const nameless = Object.hasOwn(columns.columns, '') ? { '': null } : {}
    const form = { ...(header && { header }), ...(names && { names }), ...(escapes && { escapes }) }
    const asIs = { ...NO_COLUMNS, columns: nameless, ...form }
    const reading = { job: { columns: asIs, withTable: false }, progress: () => undefined, stop }
    const { found } = await findByNumber(number, { ...reading, inputs: [input] })
    const cells = members(found?.record?.toString('utf8') ?? '{}')
    source = { kind: 'row', cells: Object.fromEntries(cells.map(([column, json]) => [column, textIn(json)])) }
  }
  return {
    name: `${about}, ${input.name}${number === undefined ? '' : ` line ${number}`}`,
    source,
    // A record that is JSON has its table in it.
    table: isTable && withTable ? input.table : undefined,
  }
}

/** Tests of records, which expect what the rules make of them. Code of the error that a record can't be read with. */
export async function testsFrom(
  records: readonly TestableRecord[],
  rules: TestedRules,
  io: Io,
): Promise<WrittenTest[]> {
  const written: WrittenTest[] = []
  for (const one of records) written.push({ ...one, outcome: await runTest(one, rules, io) })
  return written
}

/** Adds tests to those of a mapping file: to its own, or in the file beside it, which is made where there is none. Gives the file. */
export async function addTests(
  added: readonly WrittenTest[],
  { map, file, options }: TestedRules,
): Promise<string> {
  const path = file.tests.length > 0 ? map : testFileOf(map)
  const known = await readMapping(path)
  await saveMapping(path, withTests(known?.yaml ?? headOf(path, options), added), known?.digest ?? null)
  return path
}

function headOf(path: string, options: TestedRules['options']): string {
  const join = Object.fromEntries(
    (options.join ?? []).map((text) => {
      const at = text.indexOf('=')
      return [text.slice(0, at), relative(dirname(path), text.slice(at + 1))]
    }),
  )
  const stated = {
    ...Object.fromEntries(STATED.map(([name, own]) => [name, options[own]])),
    with: options.with.length > 0 ? options.with : undefined,
    join: options.join && options.join.length > 0 ? join : undefined,
  }
  const lines = Object.entries(stated).flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name}: ${JSON.stringify(value)}\n`],
  )
  return [
    '# What records become by the mapping file beside this: posthaul test says whether they do.\n',
    '# The records are real ones: think of whom they are of before you share this file.\n',
    ...(lines.length > 0 ? ['options:\n', ...lines] : []),
    'tests: []\n',
  ].join('')
}
