import { createReadStream } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { stringify } from 'yaml'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { readSettings } from '../mapping/index.ts'
import { fileError, loadFile, makeFolder, replaceFile, writeFileAtomic } from '../store/index.ts'
import { compareTexts } from '../text/index.ts'
import { AROUND_ROWS, type AroundCohort, type AroundKind, type AroundRow, rowKey } from './around-kinds.ts'

const HEADING = 'distinct_id'
/** Members that are handed on together. */
const PAGE = 1000
const LONGEST_ID = 65_536
const LONGEST_STEM = 60

/** A folder of what lies around the events: a YAML file a kind, and `cohorts/` with the members. */
export class AroundFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  file(kind: AroundKind): string {
    return join(this.path, `${kind}.yaml`)
  }

  /** The rows of a kind; undefined where there is no such file. Code `config`, with the line, for what is wrong in it. */
  async read<K extends AroundKind>(kind: K): Promise<readonly AroundRow<K>[] | undefined> {
    const path = this.file(kind)
    const found = await loadFile(path)
    if (!found) return undefined
    const schema = z.strictObject({ [kind]: z.array(AROUND_ROWS[kind]) })
    const what = `a list of ${kind}`
    const { value, refuse } = readSettings(Buffer.from(found.bytes).toString('utf8'), path, {
      schema,
      what,
      exactNumbers: false,
      examples: {},
    })
    const rows = value[kind] as unknown as AroundRow<K>[]
    const seen = new Set<string>()
    for (const [i, row] of rows.entries()) {
      // A row that was copied keeps its id, by which it is known from one push to the next.
      const key = 'id' in row ? row.id : rowKey(kind, row)
      if (seen.has(key)) refuse([kind, i], `${key.split('\n').filter(Boolean).join(', ')} is there twice`)
      seen.add(key)
    }
    return rows
  }

  /** Writes the rows of a kind, in the order of their keys, so that two pulls of the same things make the same file. */
  async write<K extends AroundKind>(kind: K, rows: readonly AroundRow<K>[]): Promise<void> {
    const keyed = rows.map((row) => [rowKey(kind, row), AROUND_ROWS[kind].parse(row)] as const)
    keyed.sort(([a], [b]) => compareTexts(a, b))
    await makeFolder(this.path)
    const text = stringify(
      { [kind]: keyed.map(([, row]) => row) },
      { lineWidth: 100, aliasDuplicateObjects: false },
    )
    await writeFileAtomic(this.file(kind), text)
  }

  /** Writes a cohort's members, and says how many. The file is there only when it is whole. */
  async writeMembers(name: string, pages: AsyncIterable<readonly string[]>): Promise<number> {
    const path = join(this.path, name)
    await makeFolder(dirname(path))
    let members = 0
    await replaceFile(path, async (file) => {
      await file.write(`${HEADING}\n`)
      for await (const page of pages) {
        members += page.length
        if (page.length > 0) await file.write(`${page.map(csvCell).join('\n')}\n`)
      }
    })
    return members
  }

  /** A cohort's members, some at a time. Code `input` for a file that has no column of them. */
  async *members(name: string): AsyncGenerator<readonly string[]> {
    const path = join(this.path, name)
    let page: string[] = []
    const rows = parse({ bom: true, columns: true, skip_empty_lines: true, max_record_size: LONGEST_ID })
    // What fails on either side ends the loop below with its error.
    pipeline(createReadStream(path), rows, () => undefined)
    try {
      for await (const row of rows as AsyncIterable<Record<string, string>>) {
        const id = row[HEADING]
        if (id === undefined) throw withoutHeading(path)
        page.push(id)
        if (page.length === PAGE) {
          yield page
          page = []
        }
      }
    } catch (cause) {
      if (cause instanceof CsvError)
        throw new PosthaulError(`${path} can't be read as CSV: ${cause.message}`, { code: 'input', cause })
      throw fileError(cause, 'read', path)
    }
    if (page.length > 0) yield page
  }
}

/** The file of each cohort's members, by its id: named after the cohort, with its id where two names are alike. */
export function cohortFiles(
  cohorts: readonly Pick<AroundCohort, 'id' | 'name'>[],
): ReadonlyMap<string, string> {
  const stems = cohorts.map(({ name }) => stemOf(name))
  const alike = (stem: string) => stems.filter((one) => one === stem).length > 1
  return new Map(
    cohorts.map(({ id }, i) => {
      const stem = stems[i]!
      return [
        id,
        `cohorts/${stem === '' ? `cohort-${stemOf(id)}` : alike(stem) ? `${stem}-${stemOf(id)}` : stem}.csv`,
      ]
    }),
  )
}

function stemOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, LONGEST_STEM)
}

function csvCell(id: string): string {
  return /[",\r\n]|^\s|\s$/.test(id) ? `"${id.replaceAll('"', '""')}"` : id
}

function withoutHeading(path: string): PosthaulError {
  return new PosthaulError(`${path} has no column ${HEADING}`, {
    code: 'input',
    hint: `its first line is ${HEADING}, each line after it one id`,
  })
}
