import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chdbFolder } from './chdb-folder.ts'
import type { ClickHouse } from './clickhouse.ts'

/** A native module, so it runs in a process of its own. */
const CHILD = `
  const { Session } = require('node:module').createRequire(process.argv[1] + '/index.js')('chdb')
  const session = new Session()
  process.on('message', (sql) => {
    try { process.send({ text: session.query(sql, 'TSV') }) } catch (error) { process.send({ error: error.message }) }
  })
  process.on('disconnect', () => { session.cleanup(); process.exit() })
`

interface Reply {
  readonly text?: string
  readonly error?: string
}

/** A current ClickHouse. The zone is not UTC: nothing may depend on that. */
export async function startChdb(): Promise<ClickHouse> {
  const folder = await chdbFolder()
  const child = spawn(process.execPath, ['-e', CHILD, folder], {
    cwd: folder,
    env: { ...process.env, TZ: 'America/Los_Angeles' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`chDB ended with ${code ?? signal}`)
  })
  ended.catch(() => undefined)
  // One question at a time, as the child answers them.
  let last: Promise<unknown> = Promise.resolve()
  const ask = async (sql: string): Promise<string> => {
    const answered = once(child, 'message') as Promise<[Reply]>
    child.send(sql)
    const [{ text, error }] = await Promise.race([answered, ended])
    if (error !== undefined) throw new Error(error)
    return text ?? ''
  }
  return {
    run(sql, body = '') {
      const answer = last.then(() => ask(`${sql}\n${body}`))
      last = answer.catch(() => undefined)
      return answer
    },
    async close() {
      await last
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}
