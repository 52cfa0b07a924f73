import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { patience } from './patience.ts'

/** A MariaDB of the machine's package mariadb-server, started for a test in a folder of its own, on a free port of this machine. */
export interface MariaDb {
  /** Its unix socket, by which root needs no password. */
  readonly socket: string
  /** Runs statements by the client `mariadb`: a line a row, columns with tabs between. */
  run(sql: string): Promise<string>
  close(): Promise<void>
}

const START_MS = 60_000
const program = promisify(execFile)

/** The zone of the server is not UTC, and its clients' text is not UTF-8: nothing may depend on that. */
export async function startMariaDb(...settings: readonly string[]): Promise<MariaDb> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-mariadb-'))
  const [data, socket, port] = [join(folder, 'data'), join(folder, 'socket'), await freePort()]
  const place = ['--no-defaults', `--user=${userInfo().username}`, `--datadir=${data}`]
  await program('mariadb-install-db', [
    ...place,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ])
  const argv = [
    ...[...place, `--port=${port}`, `--socket=${socket}`, `--pid-file=${join(folder, 'pid')}`],
    ...['--bind-address=127.0.0.1', '--default-time-zone=+05:30', '--character-set-server=latin1'],
    ...['--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=64M', '--skip-name-resolve'],
    ...settings,
  ]
  const run = async (sql: string, ...options: string[]) => {
    const asking = program(
      'mariadb',
      [
        ...['--no-defaults', `--socket=${socket}`, '--user=root', '--default-character-set=utf8mb4'],
        ...['--batch', '--raw', '--skip-column-names', ...options],
      ],
      { maxBuffer: 2 ** 30 },
    )
    // A client that is not let in reads nothing.
    asking.child.stdin!.on('error', () => undefined).end(sql)
    return (await asking).stdout
  }
  const server = await started(argv, () => run('SELECT 1'))
  await run('CREATE DATABASE shop')
  return {
    socket,
    run: (sql) => run(sql, 'shop'),
    async close() {
      await ended(server)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function started(argv: readonly string[], ask: () => Promise<unknown>): Promise<ChildProcess> {
  // Daemons are in sbin, which is not in every user's path.
  const server = spawn('/usr/sbin/mariadbd', argv, { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  server.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4000)
  })
  for (const until = performance.now() + patience(START_MS); ; ) {
    try {
      await ask()
      return server
    } catch (error) {
      if (server.exitCode !== null) throw new Error(`mariadbd ended with ${server.exitCode}: ${log}`)
      if (performance.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

async function ended(server: ChildProcess): Promise<void> {
  const gone = once(server, 'exit')
  server.kill('SIGTERM')
  const late = setTimeout(() => server.kill('SIGKILL'), patience(20_000))
  await gone
  clearTimeout(late)
}
