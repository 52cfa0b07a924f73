import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { leftOutRows } from '../../src/commands/left-out.ts'
import type { TransformResult } from '../../src/commands/results.ts'
import { avroFile } from './avro.ts'
import { writeParquet } from './parquet.ts'
import { makeZip, type ZipInput } from './zip.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)

/** What becomes of the records of whole files, and of how many of them what. */
const NONE = { generated: 0, duplicate: 0, rejected: {}, filtered: {}, left_out: {} }

/** One row of `walks.json`: files as the vendor delivers them, the words of the transform, and what must become of their records. */
interface FileWalk {
  readonly vendor: string
  readonly about: string
  /** What `--in` is given, below the folder `walk/`, which is `{walk}` in `args`. */
  readonly in: readonly string[]
  readonly args: readonly string[]
  readonly rejected: Readonly<Record<string, number>>
}

/** The walks of all vendors: `fixtures/<vendor>/walks.json`. What a row doesn't count is none. */
export function allWalks(): readonly FileWalk[] {
  return readdirSync(FIXTURES).flatMap((vendor) => {
    const rows = new URL(`${vendor}/walks.json`, FIXTURES)
    const walks = existsSync(rows)
      ? (JSON.parse(readFileSync(rows, 'utf8')) as Omit<FileWalk, 'vendor'>[])
      : []
    return walks.map((row) => ({ vendor, ...NONE, ...row, args: row.args ?? [] }))
  })
}

/** What a transform's result says of a walk. */
export function walkOutcome({ counts, rejects, filtered, members }: TransformResult) {
  const { read, written, generated, duplicate } = counts
  const left_out = Object.fromEntries(leftOutRows({ members }).map(({ path, records }) => [path, records]))
  return { read, written, generated, duplicate, rejected: rejects, filtered, left_out }
}

/**
 * Puts a vendor's `walk/` into a folder as the vendor delivers it. Fixtures are text that can be read: a folder `x.zip/`
 * becomes an archive, text named `x.gz` is compressed, and NDJSON named `x.parquet` becomes rows of Parquet. Of one named
 * `x.avro` the first line is the schema.
 */
export async function deliver(vendor: string, folder: string): Promise<void> {
  for (const name of readdirSync(new URL(`${vendor}/walk/`, FIXTURES))) {
    await deliverOne(join(new URL(`${vendor}/walk/`, FIXTURES).pathname, name), join(folder, name))
  }
}

async function deliverOne(from: string, to: string): Promise<void> {
  if (statSync(from).isDirectory()) {
    if (extname(from) === '.zip') return writeFileSync(to, makeZip(zipInputs(from, '')))
    mkdirSync(to)
    for (const name of readdirSync(from)) await deliverOne(join(from, name), join(to, name))
  } else if (extname(from) === '.gz') writeFileSync(to, gzipSync(readFileSync(from)))
  else if (extname(from) === '.avro') writeFileSync(to, avroOf(readFileSync(from, 'utf8')))
  else if (extname(from) === '.parquet') {
    await writeParquet(to, `SELECT * FROM read_json('${from}', format = 'newline_delimited')`)
  } else copyFileSync(from, to)
}

function avroOf(text: string): Buffer {
  const [schema, ...records] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  return avroFile(schema, records, { codec: 'deflate' })
}

function zipInputs(folder: string, prefix: string): ZipInput[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return zipInputs(path, `${prefix}${name}/`)
    const data = readFileSync(path)
    return [{ name: prefix + name, data: extname(name) === '.gz' ? gzipSync(data) : data }]
  })
}
