import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { canonicalJson } from '../../src/record/json-values.ts'
import { isIllegalId } from '../../src/record/nobody.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { POSTHAUL } from './paths.ts'

/*
 * The same events by /batch/ and by Capture V1, into a sandbox each: every column of every stored row has to be equal, but
 * for the two properties that only Capture V1 adds. Of ids that mean nobody, such as `guest`, Capture V1 alone makes no person:
 * these events are counted apart, and have to agree in uuid, name and time. test/e2e/import-v1.test.ts does it with 400.
 *
 *     npm run build && npm run build:bench && node test/bench/dist/test/bench/both-routes.js [events] [seed]
 */
const EVENTS = Number(process.argv[2] ?? 100_000)
const SEED = Number(process.argv[3] ?? 1)
const FAST = ['--approved', '--max-events-per-minute', '100000000', '--batch-events', '2000']

const folder = mkdtempSync(join(tmpdir(), 'posthaul-both-routes-'))
const input = join(folder, 'events.ndjson')

let state = SEED >>> 0
/** A number from 0 up to and without `most` (mulberry32). */
function below(most: number): number {
  state = (state + 0x6d2b79f5) >>> 0
  let t = Math.imul(state ^ (state >>> 15), state | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * most)
}

const oneOf = <T>(...values: readonly T[]): T => values[below(values.length)]!
const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join('')

/** Spellings that bend when they are parsed and printed, or that look like what has a place of its own, as JSON text. */
const ODD = [
  '12345678901234567890',
  '1.0',
  '-0',
  '1E+5',
  '"\\u00e9\\ud83d\\ude00"',
  '"\u2028 \u{1f600} a\u0301 \ufeff"',
  '"\\"$session_id\\":\\"no\\""',
  '["$session_id",{"$window_id":"deep"}]',
  '{"$process_person_profile":false,"properties":{"$session_id":"deep"}}',
  '"}],\\\\\\"batch\\":["',
  'null',
  '""',
]

/** The members, each with the share of events that has it. */
function members(n: number, name: string): string[] {
  const session = `018cc251-f400-7${hex(3)}-8${hex(3)}-${hex(12)}`
  const sentinel = oneOf('true', 'false', 'false', '"false"', 'null', '0')
  const all: readonly (readonly [share: number, member: string])[] = [
    [1, `"n":${n}`],
    [0.4, `"odd ${oneOf('é', '\u{1f680}', '\\u0024', 'a b')}":${oneOf(...ODD)}`],
    [0.3, `${oneOf('"$session_id"', '"$session_id"', '"\\u0024session_id"')}:"${session}"`],
    [0.3, `"$window_id":${oneOf(`"${session}"`, '"w"', '""', 'null', '7')}`],
    [0.2, `"$process_person_profile":${sentinel}`],
    [0.1, `"$cookieless_mode":${oneOf('false', 'true')}`],
    [0.1, `"$product_tour_id":${oneOf('"tour"', '""', 'null')}`],
    [0.3, `"$set":{"plan":"${oneOf('pro', 'free')}","seen":${n},"$session_id":"not one"}`],
    [0.2, `"$set_once":{"first":${n}}`],
    [0.05, '"$unset":["seen"]'],
    [0.3, `"$groups":{"company":"c${below(50)}","tëam":"t${below(9)}"}`],
    [0.2, '"$browser":"Firefox","$os":"Linux","utm_source":"news"'],
    [0.2, `"$current_url":"https://shop.example/${below(99)}?q=ü"`],
    [0.1, '"$lib":"web","$lib_version":"1.2"'],
    [0.1, `"$ip":"${oneOf('81.2.69.142', '', '0.0.0.0')}"`],
  ]
  const own = {
    $groupidentify: `"$group_type":"company","$group_key":"c${below(50)}","$group_set":{"size":${n}}`,
    $identify: `"$anon_distinct_id":"anonymous ${below(3000)}"`,
    $create_alias: `"alias":"alias ${below(3000)}"`,
  }[name]
  const chosen = all.filter(([share]) => below(1000) < share * 1000).map(([, member]) => member)
  for (let i = chosen.length - 1; i > 0; i--) {
    const j = below(i + 1)
    ;[chosen[i], chosen[j]] = [chosen[j]!, chosen[i]!]
  }
  return own === undefined ? chosen : [...chosen, own]
}

function writeInput(): void {
  const file = openSync(input, 'w')
  for (let n = 0; n < EVENTS; n++) {
    const name = below(40) === 0 ? oneOf('$identify', '$groupidentify', '$create_alias', '$set') : undefined
    const event =
      name ?? oneOf('$pageview', 'Ordered', 'Größe \u{1f600}', '$exception', '$$odd', 'é'.repeat(120))
    const id = oneOf('user ', 'user ', 'üser ', ' blank ', '\u{1f680}') + below(2000)
    // Some ids mean nobody.
    const distinctId = below(200) === 0 ? oneOf('guest', 'anonymous', 'null') : id
    const micros = String(below(1_000_000)).padStart(6, '0')
    const second = new Date(
      Date.UTC(2024, 0, 1) + Math.floor((n / EVENTS) * 30 * 86_400) * 1000,
    ).toISOString()
    const head = [
      `"uuid":"${hex(8)}-${hex(4)}-${oneOf('4', '5', '7')}${hex(3)}-8${hex(3)}-${hex(12)}"`,
      `"event":${JSON.stringify(event)}`,
      `"distinct_id":${JSON.stringify(distinctId)}`,
      `"timestamp":"${second.slice(0, 20)}${micros}Z"`,
    ]
    writeSync(file, `{${head.join()},"properties":{${members(n, event).join()}}}\n`)
  }
  closeSync(file)
}

async function importVia(via: string, data: string): Promise<void> {
  const sandbox = await startSandbox({ data })
  const argv = ['import', '--file', input, '--via', via, ...FAST]
  const child = spawn(process.execPath, [POSTHAUL, ...argv], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH ?? '', XDG_STATE_HOME: join(folder, via), ...sandboxEnv(sandbox) },
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  await sandbox.close()
  // The next import begins in the same place: the events that it makes itself carry the name of that.
  for (const name of readdirSync(folder)) {
    if (name.startsWith('events.ndjson.')) rmSync(join(folder, name), { recursive: true })
  }
  console.log(
    `$ posthaul import --via ${via}   (exit ${code})\n${said.replaceAll(`${folder}/`, '').trim()}\n`,
  )
}

const JSON_COLUMNS = ['properties', 'set_fields', 'set_once_fields', 'unset_fields', 'joins']
const ONLY_V1 = /"\$(sent_at|ignore_sent_at)":("[^"]*"|true),?/g

const IDENTITY = ['uuid', 'event', 'distinct_id', 'timestamp']
let nobody = 0

/** Every row of a table, each as one text, in an order of its own. */
async function rowsOf(data: string, table: string, order: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(join(data, 'sandbox.duckdb'))
  const connection = await instance.connect()
  try {
    const read = await connection.runAndReadAll(`SELECT * FROM ${table} ORDER BY ${order}`)
    return read.getRowObjects().map((row) => {
      const isNobody = typeof row.distinct_id === 'string' && isIllegalId(row.distinct_id)
      const columns = Object.entries(row).filter(([name]) =>
        isNobody ? IDENTITY.includes(name) : name !== 'seq' && name !== 'received_at',
      )
      if (isNobody) nobody++
      return columns
        .map(([name, value]) => {
          const isJson = value !== null && JSON_COLUMNS.includes(name) && /^[[{]/.test(String(value))
          const text = isJson ? canonicalJson(String(value)) : String(value)
          return `${name}=${name === 'properties' ? text.replace(ONLY_V1, '').replace(/,}$/, '}') : text}`
        })
        .join('\n')
    })
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function compare(table: string, order: string): Promise<void> {
  const [batch, v1] = [
    await rowsOf(join(folder, 'batch-data'), table, order),
    await rowsOf(join(folder, 'v1-data'), table, order),
  ]
  const differing = batch.filter((row, n) => row !== v1[n]).length + Math.abs(batch.length - v1.length)
  console.log(`${table}: ${batch.length} rows by /batch/, ${v1.length} by Capture V1, ${differing} differ`)
  if (differing === 0) return
  const first = batch.findIndex((row, n) => row !== v1[n])
  console.log(`--- the first\n${batch[first]}\n---\n${v1[first]}`)
  process.exitCode = 1
}

try {
  writeInput()
  for (const via of ['batch', 'v1']) await importVia(via, join(folder, `${via}-data`))
  await compare('sandbox_log', 'uuid, seq')
  await compare('sandbox_group_types', 'group_type_index')
  console.log(`${nobody / 2} events of ids that mean nobody: compared by uuid, name, id and time`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
