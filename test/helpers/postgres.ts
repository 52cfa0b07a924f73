import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { patience } from './patience.ts'

/** A Postgres of the machine's package postgresql, started for a test in a folder of its own, on a free port of this machine. */
export interface Postgres {
  readonly port: number
  /** The folder of its unix socket, where every user is let in. */
  readonly socket: string
  /** The address of the database `shop` for its superuser. */
  readonly url: string
  /** Runs statements by psql, and returns what they answer, a line a row, columns with a bar between. */
  psql(sql: string): Promise<string>
  close(): Promise<void>
}

const HOME = '/usr/lib/postgresql'
const PASSWORD = 'the superuser'
const START_MS = 60_000
const run = promisify(execFile)

/** The zone of the server is not UTC: nothing may depend on that. */
export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-postgres-'))
  const owner = await serverUser()
  writeFileSync(join(folder, 'password'), PASSWORD)
  chmodSync(folder, 0o755)
  for (const name of ['', 'password']) if (owner) chownSync(join(folder, name), owner.uid, owner.gid)
  const data = join(folder, 'data')
  const made = [
    ...['-D', data, '-U', 'postgres', '--auth-host=scram-sha-256', '--auth-local=trust', '-E', 'UTF8'],
    '--locale=C.UTF-8',
  ]
  await run(program('initdb'), [...made, '--pwfile', join(folder, 'password'), '--no-sync'], owner)
  const port = await freePort()
  const all = {
    ...{ listen_addresses: '127.0.0.1', port, unix_socket_directories: folder, fsync: 'off' },
    ...{
      timezone: 'Asia/Kolkata',
      datestyle: 'SQL, DMY',
      intervalstyle: 'postgres_verbose',
      bytea_output: 'escape',
    },
    extra_float_digits: '0',
  }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(program('postgres'), ['-D', data, ...options], {
    ...owner,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4000)
  })
  const exit = once(child, 'exit')
  const ask = async (database: string, sql: string) => {
    const place = ['-h', folder, '-p', String(port), '-U', 'postgres', '-d', database]
    const asking = run(program('psql'), [...place, '-XqAt', '-v', 'ON_ERROR_STOP=1', '-f', '-'], {
      maxBuffer: 1 << 30,
    })
    // While the server starts, psql ends before it reads: `asking` says how.
    asking.child.stdin?.on('error', () => undefined).end(sql)
    return (await asking).stdout
  }
  await untilAnswers(
    () => ask('postgres', 'SELECT 1'),
    () => child.exitCode !== null,
    () => log,
  )
  await ask('postgres', 'CREATE DATABASE shop')
  return {
    port,
    socket: folder,
    url: `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/shop`,
    psql: (sql) => ask('shop', sql),
    async close() {
      // Ends all sessions, too.
      child.kill('SIGINT')
      const late = setTimeout(() => child.kill('SIGKILL'), patience(10_000))
      await exit
      clearTimeout(late)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The server refuses to run as root. */
async function serverUser(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const idOf = async (which: '-u' | '-g') => Number((await run('id', [which, 'postgres'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

function program(name: string): string {
  const versions = readdirSync(HOME).filter((version) => statSync(join(HOME, version, 'bin')).isDirectory())
  return join(HOME, versions.sort((a, b) => Number(a) - Number(b)).at(-1)!, 'bin', name)
}

async function untilAnswers(
  ask: () => Promise<unknown>,
  hasEnded: () => boolean,
  log: () => string,
): Promise<void> {
  for (const until = performance.now() + patience(START_MS); ; ) {
    try {
      await ask()
      return
    } catch (error) {
      if (hasEnded() || performance.now() > until)
        throw new Error(`Postgres does not start: ${log()}`, { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
