import { join } from 'node:path'
import { startChdb } from './chdb.ts'
import { runHosted } from './command-host.ts'
import { exits } from './exits.ts'
import { makeFolder } from './folder.ts'
import { answeredPrograms } from './hosted-programs.ts'
import type { MariaDb } from './mariadb.ts'
import type { Postgres } from './postgres.ts'

/* Databases as `export command` reads them: by their own clients. */

/** How a query of a file is asked. */
export interface Client {
  readonly env: Readonly<Record<string, string>>
  /** Runs the query of `{file}`, and prints a JSON object a line. */
  readonly run: string
  /** Counts its rows. */
  readonly count: string
  readonly windowFormat?: string
}

/** psql, with variables for those queries that have the names of a table and its schema in them. */
export function psqlClient(server: Postgres, variables: Readonly<Record<string, string>> = {}): Client {
  const given = Object.entries({ ON_ERROR_STOP: '1', ...variables }).map(
    ([name, value]) => `-v ${name}=${value}`,
  )
  const psql = `psql "$DB" -AtX ${given.join(' ')}`
  return {
    env: { DB: server.url, PGTZ: 'UTC', PGOPTIONS: '-c extra_float_digits=1' },
    run: `${psql} -v FETCH_COUNT=100 -f {file}`,
    count: `{ echo 'select count(*) from ('; cat {file}; echo ') r'; } | ${psql} -f -`,
  }
}

export function mariadbClient({ socket }: MariaDb): Client {
  const read = `mariadb --no-defaults --socket=${socket} --user=root --default-character-set=utf8mb4 --batch --raw --skip-column-names --quick`
  const utc = `--init-command="SET time_zone = '+00:00'"`
  return {
    env: {},
    run: `${read} ${utc} -e "$(cat {file})" shop`,
    count: `${read} ${utc} -e "SELECT COUNT(*) FROM ($(cat {file})) r" shop`,
    windowFormat: 'YYYY-MM-DD HH:mm:ss',
  }
}

export interface ClickHouseClient extends Client {
  ask(sql: string): Promise<string>
  close(): Promise<void>
}

/** `clickhouse client` as far as pages use it, on a current ClickHouse. */
export async function clickhouseClient(): Promise<ClickHouseClient> {
  const path = join(makeFolder(), 'bin')
  const server = await startChdb()
  const ask = async (sql: string) => {
    let said = ''
    for (const one of sql.split('\n;\n')) said += await server.run(one)
    return said
  }
  const programs = await answeredPrograms(path, ['clickhouse'], async (words) => {
    return ask(words[words.indexOf('--query') + 1]!).then(
      (stdout) => ({ code: 0, stdout, stderr: '' }),
      (error: Error) => ({ code: 1, stdout: '', stderr: `${error.message}\n` }),
    )
  })
  const read = 'clickhouse client --query'
  const settings = "date_time_output_format = 'iso', output_format_json_quote_64bit_integers = 0"
  return {
    env: { PATH: `${path}:${process.env.PATH}`, SETTINGS: settings },
    run: `${read} "$(cat {file}) FORMAT JSONEachRow SETTINGS $SETTINGS"`,
    count: `${read} "SELECT count() FROM ($(cat {file}))"`,
    ask,
    close() {
      programs.close()
      return server.close()
    },
  }
}

export interface Asked {
  readonly client: Client
  /** The path of the query. */
  readonly file: string
  readonly days: readonly [from: string, to: string]
  readonly out: string
  readonly window?: string
}

/** Exports what a query gives. */
export async function exportQuery({
  client,
  file,
  days: [from, to],
  out,
  window = '1d',
}: Asked): Promise<void> {
  const { env, run, count, windowFormat } = client
  const format = windowFormat === undefined ? [] : ['--window-format', windowFormat]
  const words = ['--file', file, '--run', run, '--count', count, '--window', window, ...format]
  const argv = ['export', 'command', '--from', from, '--to', to, ...words, '--retry-for', '0s', '--out', out]
  await exits(0, runHosted(argv, { PATH: process.env.PATH!, SHELL: '/bin/bash', ...env }))
}
