/*
 * A ClickHouse over HTTP: chDB, which has no HTTP of its own, behind a small server that speaks the interface as a real one does.
 * A process of its own: chDB is a native module. argv: the folder that chDB is installed in, and what it is started with as JSON.
 *
 * Messages of the parent: { sql } is run and answered with { text } or { error }; { fault } is what happens to the next answers
 * that have rows; { seen } asks for the requests so far.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'

const { Session } = createRequire(`${process.argv[2]}/index.js`)('chdb')
const { user, password, port, path, before = [] } = JSON.parse(process.argv[3])
const session = new Session(path)
for (const sql of before) session.query(sql)

/** Parameters of the address that are no settings. */
const OTHERS = /^(?:query|database|query_id|user|password|default_format|compress|param_.*)$/
const HEADS = /FORMAT \w+WithNamesAndTypes/
const PIECE = 20_000
const TAG = 'rwdjdxpxvqsmfmxw'

let faults = []
let cancelled = 0
const seen = []

// chDB runs one statement at a time, and has one state of settings.
let last = Promise.resolve()
function queued(work) {
  const done = last.then(work)
  last = done.catch(() => undefined)
  return done
}

const literal = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** The statement as the session is to run it, its parameters set. */
function prepared(sql, url) {
  const settings = []
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) session.query(`SET ${name} = ${literal(value)}`)
    else if (!OTHERS.test(name)) settings.push(`${name} = ${literal(value)}`)
  }
  session.query(`USE \`${url.searchParams.get('database') ?? 'default'}\``)
  return settings.length === 0 ? sql : `${sql}\nSETTINGS ${settings.join(', ')}`
}

/** The answer piece by piece. The first is there before anything is sent, so that a statement that can't begin has its own status. */
async function* answerOf(sql) {
  if (!/^\s*SELECT/i.test(sql)) {
    yield Buffer.from((await session.queryAsync(sql)).bytes())
    return
  }
  let isFirst = true
  for await (const chunk of session.queryStream(sql)) {
    const bytes = Buffer.from(chunk.raw())
    // chDB writes the head of a format again before each chunk.
    const head = isFirst || !HEADS.test(sql) ? 0 : bytes.indexOf(10, bytes.indexOf(10) + 1) + 1
    isFirst = false
    for (let at = head; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
  }
  // The stream of an answer without rows has no head either.
  if (isFirst) yield Buffer.from((await session.queryAsync(sql)).bytes())
}

function loginOf({ headers }) {
  if (headers.authorization?.startsWith('Basic ')) {
    const text = Buffer.from(headers.authorization.slice(6), 'base64').toString()
    return [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)]
  }
  return [headers['x-clickhouse-user'] ?? 'default', headers['x-clickhouse-key'] ?? '']
}

function refuse(response, status, text) {
  const code = /Code: (\d+)/.exec(text)?.[1]
  response.writeHead(status, {
    'content-type': 'text/plain; charset=UTF-8',
    ...(code !== undefined && { 'x-clickhouse-exception-code': code }),
  })
  response.end(text)
}

/** What a server does when a statement fails after its first rows, by version: see docs of http_write_exception_in_output_format. */
const ENDINGS = {
  row: (text, response) => response.end(`{"exception": ${JSON.stringify(text)}}\n`),
  text: (text, response) => response.end(text),
  tag: (text, response) => {
    const words = `${text}\n`
    const length = Buffer.byteLength(words)
    response.end(`\r\n__exception__\r\n${TAG}\r\n${words}${length} ${TAG}\r\n__exception__\r\n`)
  },
  'broken tag': (text, response) => {
    const words = `${text}\n`
    const length = Buffer.byteLength(words)
    response.write(`\r\n__exception__\r\n${TAG}\r\n${words}${length} ${TAG}\r\n__exception__\r\n`, () =>
      response.destroy(),
    )
  },
  cut: (_, response) => response.destroy(),
  /** No server does it, but what stands between may. */
  short: (_, response) => response.end(),
  silent: () => undefined,
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function send(sql, response, isRows) {
  const fault = isRows ? faults.shift() : undefined
  let sent = 0
  const closed = new Promise((resolve) => response.once('close', resolve))
  const head = {
    'content-type': 'application/json; charset=UTF-8',
    'x-clickhouse-query-id': 'q',
    'x-clickhouse-format': 'JSONCompactEachRowWithNamesAndTypes',
    'x-clickhouse-timezone': 'America/Los_Angeles',
    'x-clickhouse-exception-tag': TAG,
  }
  try {
    for await (const piece of answerOf(sql)) {
      if (response.destroyed) {
        cancelled++
        return
      }
      if (!response.headersSent) response.writeHead(200, head)
      const rest = fault?.after === undefined ? piece.length : fault.after - sent
      sent += piece.length
      const isOn = response.write(piece.subarray(0, Math.max(0, rest)))
      if (fault?.slow !== undefined) await wait(fault.slow)
      if (fault?.after !== undefined && sent >= fault.after) return ENDINGS[fault.kind](fault.text, response)
      if (!isOn && !response.destroyed) await Promise.race([once(response, 'drain'), closed])
    }
    if (!response.headersSent) response.writeHead(200, head)
    if (fault?.after !== undefined) return ENDINGS[fault.kind](fault.text, response)
    response.end()
  } catch (error) {
    if (response.headersSent) ENDINGS[fault?.kind ?? 'broken tag'](error.message, response)
    else refuse(response, 500, error.message)
  }
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost')
  if (url.pathname === '/ping') return response.end('Ok.\n')
  let sql = url.searchParams.get('query') ?? ''
  for await (const chunk of request) sql += chunk
  const [name, key] = loginOf(request)
  if (name !== user || key !== password) {
    const words = `${name}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`
    return refuse(response, 403, `Code: 516. DB::Exception: ${words} (version 26.7.2.1)`)
  }
  seen.push({ sql, parameters: Object.fromEntries(url.searchParams) })
  // Node tells the parent before the server answers, so that a test can kill either at that moment.
  process.send({ request: sql })
  await queued(async () => {
    let statement
    try {
      statement = prepared(sql, url)
    } catch (error) {
      return refuse(response, 400, error.message)
    }
    await send(statement, response, HEADS.test(sql))
  })
})
server.listen(port, '127.0.0.1', () => process.send({ port: server.address().port }))

process.on('message', async ({ sql, fault, ask }) => {
  if (fault !== undefined) faults = fault
  if (ask === 'seen') process.send({ answer: seen.splice(0) })
  if (ask === 'cancelled') process.send({ answer: cancelled })
  if (sql === undefined) return
  const answer = await queued(async () => {
    try {
      session.query('USE default')
      return { answer: session.query(sql) }
    } catch (error) {
      return { error: error.message }
    }
  })
  process.send(answer)
})
process.on('disconnect', () => {
  session.cleanup()
  process.exit()
})
