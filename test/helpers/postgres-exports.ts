import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { startCli } from './cli-process.ts'
import type { Postgres } from './postgres.ts'
import { exact, oracleOf } from './postgres-values.ts'

/** Windows of the tables that `tableOf` makes for three days. */
export const DAYS = ['--time-column', 'created_at', '--from', '2024-03-01', '--to', '2024-03-04']

/** The lines of all parts of an export, by the name of their window. */
export function partsOf(out: string): Record<string, string[]> {
  const files = readdirSync(out).filter((name) => name.endsWith('.ndjson.gz'))
  return Object.fromEntries(
    files.sort().map((name) => {
      const text = gunzipSync(readFileSync(join(out, name))).toString('utf8')
      return [name.replace('.ndjson.gz', ''), text.split('\n').slice(0, -1)]
    }),
  )
}

/** An export of a table of `tableOf`, NULLs kept, has each row once, with the values that psql tells. */
export async function expectWhole(server: Postgres, table: string, out: string): Promise<void> {
  const lines = Object.values(partsOf(out)).flat()
  const wanted = (await server.psql(oracleOf(table))).split('\n').slice(0, -1)
  expect(lines).toHaveLength(wanted.length)
  const byId = new Map(lines.map((line) => [idOf(line), line]))
  for (const line of wanted) expect(exact(byId.get(idOf(line))!)).toEqual(exact(line))
}

function idOf(line: string): string {
  return /"id":(\d+)/.exec(line)![1]!
}

const MOST_RUNS = 200

/** Kills an export (SIGKILL) `kills` times, each run some time after its first sign of life, and lets it end then. */
export async function killedExport(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  {
    kills: wanted,
    random,
    server,
  }: { readonly kills: number; readonly random: () => number; readonly server: Postgres },
): Promise<void> {
  let kills = 0
  for (let run = 0; kills < wanted && run < MOST_RUNS; run++) {
    const cli = startCli([...argv, ...(run % 4 === 3 ? ['--refetch'] : [])], env)
    let hasEnded = false
    const ended = cli.ended.finally(() => {
      hasEnded = true
    })
    // A moment that is measured in what the server saw of it, not in time.
    let looks = Math.floor(random() * 6)
    while (!hasEnded && looks >= 0) if ((await sessions(server)) > 0) looks--
    cli.kill('SIGKILL')
    const { signal, code, stderr } = await ended
    if (signal === 'SIGKILL') kills++
    else expect(code, stderr).toBe(0)
  }
  expect(kills).toBe(wanted)
  const { code, stderr } = await startCli(argv, env).ended
  expect(code, stderr).toBe(0)
}

/** How many connections of an export there are. */
export async function sessions(server: Postgres, condition = 'true'): Promise<number> {
  const sql = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'posthaul' AND ${condition}`
  return Number(await server.psql(sql))
}
