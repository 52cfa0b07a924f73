import { rmSync } from 'node:fs'
import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import { sandboxEnv } from '../../helpers/sandbox-env.ts'
import type { Bench } from '../bench.ts'
import { different, long, plain, writeOdd, writeTinyFiles } from '../generate/odd-histories.ts'
import { POSTHAUL } from '../paths.ts'
import { runNode } from '../process.ts'
import { machine } from '../report.ts'

/** The most memory that the whole process of a command ever had. */
interface MemoryRow {
  readonly command: string
  readonly what: string
  readonly records: number
  readonly files: number
  readonly days: number
  readonly megabytes: number
}

/** An input of a kind that once made memory grow. */
interface Kind extends Omit<MemoryRow, 'command' | 'megabytes'> {
  write(path: string): Promise<void> | void
  /** What is done with the dataset, too. */
  readonly next?: (bench: Bench, kind: Kind) => Promise<MemoryRow[]>
}

const DATASET = 'dataset-memory'
const UNLIKE = 'names, properties, people: all different'
const FAST = ['--approved', '--max-events-per-minute', '100000000']

/** What the records of each kind come to, of a plan that takes this share of them. */
function kindsOf(share: number): Kind[] {
  const some = (count: number) => Math.max(10, Math.round(count * share))
  const tiny = (count: number): Kind => ({
    what: 'files of one record',
    records: count,
    files: count,
    days: Math.ceil(count / 1440),
    write: (path) => writeTinyFiles(path, count),
  })
  const odd = (what: string, record: typeof plain, count: number, days: number): Kind => ({
    what,
    records: count,
    files: 1,
    days,
    write: (path) => writeOdd(path, record, count, days),
  })
  return [
    odd('a small history', plain, some(1000), 30),
    tiny(some(60_000)),
    tiny(some(200_000)),
    { ...odd(UNLIKE, different, some(1_600_000), 3000), next: checked },
    odd('the same names', plain, some(5_000_000), 30),
    odd('the same names', plain, some(5_000_000), 3000),
    odd('all of one day', plain, some(5_000_000), 1),
    odd('lines of 800 KB', long, some(1000), 3),
    { ...odd('the same names', plain, some(500_000), 30), next: imported },
  ]
}

/** Measures each kind once, one after the other. */
export async function memoryRows(bench: Bench): Promise<MemoryRow[]> {
  const rows: MemoryRow[] = []
  for (const kind of kindsOf(bench.plan.memory)) {
    const path = bench.path('odd')
    bench.say(`memory: ${kind.what}, ${kind.records.toLocaleString('en')} records over ${kind.days} days`)
    await kind.write(path)
    rows.push(await rowOf(bench, kind, 'transform', transformOf(path, bench.path(DATASET))))
    if (kind.next) rows.push(...(await kind.next(bench, kind)))
    await bench.remove('odd')
    await bench.remove(DATASET)
  }
  return rows
}

function transformOf(input: string, out: string): string[] {
  return ['transform', '--preset', 'mixpanel', '--in', input, '--out', out]
}

async function rowOf(
  { say }: Bench,
  { what, records, files, days }: Kind,
  command: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<MemoryRow> {
  const { megabytes } = await runNode([POSTHAUL, ...argv], env)
  // As the kernel counts: its unit is 1,024 bytes.
  const row = { command, what, records, files, days, megabytes: (megabytes * 2 ** 20) / 1e6 }
  say(`  ${command}: ${row.megabytes.toFixed(0)} MB`)
  return row
}

async function checked(bench: Bench, kind: Kind): Promise<MemoryRow[]> {
  return [await rowOf(bench, kind, 'check', ['check', bench.path(DATASET)])]
}

/** `import` of the dataset into a sandbox, and `verify` of what is there. */
async function imported(bench: Bench, kind: Kind): Promise<MemoryRow[]> {
  const data = bench.path('sandbox-memory')
  const sandbox = await startSandbox({ data })
  try {
    const env = { ...sandboxEnv(sandbox), XDG_STATE_HOME: bench.path('state') }
    const dataset = bench.path(DATASET)
    return [
      await rowOf(bench, kind, 'import', ['import', '--dataset', dataset, ...FAST, '--lanes', '4'], env),
      await rowOf(bench, kind, 'verify', ['verify', dataset], env),
    ]
  } finally {
    await sandbox.close()
    rmSync(data, { recursive: true, force: true })
  }
}

/** The rows as Markdown, with what they were measured on. */
export function memoryTable(rows: readonly MemoryRow[], commit: string): string {
  const { date, machine: where, versions } = machine(commit)
  const number = (value: number) => value.toLocaleString('en')
  return [
    `Measured by \`npm run bench -- --memory\` on ${date}, at ${commit}: ${where}, Node ${versions.node}.`,
    '',
    '| command | of what | records | files | days | peak memory |',
    '|---|---|---:|---:|---:|---:|',
    ...rows.map(
      ({ command, what, records, files, days, megabytes }) =>
        `| \`${command}\` | ${what} | ${number(records)} | ${number(files)} | ${number(days)} | ${megabytes.toFixed(0)} MB |`,
    ),
    '',
  ].join('\n')
}
