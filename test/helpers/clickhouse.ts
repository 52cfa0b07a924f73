import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { patience } from './patience.ts'

/** A ClickHouse server of the machine's package clickhouse-server, started for a test, in a folder of its own. */
export interface ClickHouse {
  /** Runs a statement and returns what it answers. `body`: the rows of an INSERT. */
  run(sql: string, body?: string): Promise<string>
  close(): Promise<void>
}

const START_MS = 60_000

/** Resolves to the server, and where it is asked over HTTP. */
export async function startClickHouse(): Promise<ClickHouse & { readonly url: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-clickhouse-'))
  const [http, tcp] = [await freePort(), await freePort()]
  const config = join(folder, 'config.xml')
  mkdirSync(join(folder, 'data'))
  mkdirSync(join(folder, 'tmp'))
  writeFileSync(join(folder, 'users.xml'), USERS)
  writeFileSync(config, configOf(folder, http, tcp))
  const child = spawn('clickhouse-server', [`--config-file=${config}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`clickhouse-server ended with ${code}: ${errors.slice(-2000)}`)
  })
  ended.catch(() => undefined)
  const run = async (sql: string, body = '') => {
    const url = `http://127.0.0.1:${http}/?query=${encodeURIComponent(sql)}`
    const short = sql.length + body.length < 4000 && body !== ''
    const answer = await (body === '' && !short
      ? fetch(`http://127.0.0.1:${http}/`, { method: 'POST', body: sql })
      : fetch(url, { method: 'POST', body }))
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return text
  }
  await Promise.race([untilAnswers(() => run('SELECT 1')), ended])
  return {
    run,
    url: `http://127.0.0.1:${http}`,
    async close() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), patience(10_000))
      await gone
      clearTimeout(late)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function untilAnswers(ask: () => Promise<unknown>): Promise<void> {
  for (const until = performance.now() + patience(START_MS); ; ) {
    try {
      await ask()
      return
    } catch (error) {
      if (performance.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

const USERS = `<yandex>
  <profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota></default></users>
  <quotas><default></default></quotas>
</yandex>
`

/** The server's zone is not UTC: nothing may depend on that. */
function configOf(folder: string, http: number, tcp: number): string {
  return `<yandex>
  <logger><level>warning</level><log>${folder}/server.log</log><errorlog>${folder}/errors.log</errorlog></logger>
  <http_port>${http}</http_port>
  <tcp_port>${tcp}</tcp_port>
  <listen_host>127.0.0.1</listen_host>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>100000000</mark_cache_size>
  <timezone>America/Los_Angeles</timezone>
</yandex>
`
}
