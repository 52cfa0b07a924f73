import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { patience } from './patience.ts'
import { KEY, LOCALHOST_CERTIFICATE } from './tls-front.ts'

/** A Postgres of the machine's package postgresql, started for a test in a folder of its own, on a free port of this machine. */
export interface Postgres {
  readonly port: number
  /** The folder of its unix socket, where every user is let in. */
  readonly socket: string
  /** The address of a user of the database `shop`; without a name that of its superuser. */
  url(user?: string, password?: string): string
  /** Runs statements by psql, and returns what they answer, a line a row, columns with a bar between. */
  psql(sql: string): Promise<string>
  close(): Promise<void>
}

const HOME = '/usr/lib/postgresql'
const PASSWORD = 'the superuser'
const START_MS = 60_000
const run = promisify(execFile)

/**
 * `settings`: as in postgresql.conf. The zone of the server is not UTC: nothing may depend on that. `primary`: the server that it
 * is a standby of, which only reads.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  primary?: Pick<Postgres, 'socket' | 'port'>,
): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-postgres-'))
  const owner = await serverUser()
  writeFileSync(join(folder, 'password'), PASSWORD)
  copyFileSync(KEY, join(folder, 'key.pem'))
  copyFileSync(LOCALHOST_CERTIFICATE, join(folder, 'cert.pem'))
  chmodSync(folder, 0o755)
  // Nobody else may read a server's key.
  chmodSync(join(folder, 'key.pem'), 0o600)
  for (const name of ['', 'password', 'key.pem', 'cert.pem']) {
    if (owner) chownSync(join(folder, name), owner.uid, owner.gid)
  }
  const data = join(folder, 'data')
  const made = [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth-host=scram-sha-256',
    '--auth-local=trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  ]
  if (primary === undefined) {
    await run(program('initdb'), [...made, '--pwfile', join(folder, 'password'), '--no-sync'], owner)
  } else {
    const from = ['-h', primary.socket, '-p', String(primary.port), '-U', 'postgres']
    await run(program('pg_basebackup'), [...from, '-D', data, '-R', '-c', 'fast', '--no-sync'], owner)
  }
  const port = await freePort()
  const all = {
    ...{ listen_addresses: '127.0.0.1', port, unix_socket_directories: folder, fsync: 'off' },
    ...{ ssl: 'on', ssl_cert_file: join(folder, 'cert.pem'), ssl_key_file: join(folder, 'key.pem') },
    ...{
      timezone: 'Asia/Kolkata',
      datestyle: 'SQL, DMY',
      intervalstyle: 'postgres_verbose',
      bytea_output: 'escape',
    },
    ...{ extra_float_digits: '0', ...settings },
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
  if (primary === undefined) await ask('postgres', 'CREATE DATABASE shop')
  return {
    port,
    socket: folder,
    url: (user = 'postgres', password = PASSWORD) =>
      `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}/shop`,
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
