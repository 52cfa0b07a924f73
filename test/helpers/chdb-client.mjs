// `clickhouse client` as far as pages use it, on chDB: node chdb-client.mjs <chDB's folder> <folder of the data> --query <SQL> …
import { createRequire } from 'node:module'

const [chdb, data, ...words] = process.argv.slice(2)
const wordAfter = (name) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined)
const { Session } = createRequire(`${chdb}/index.js`)('chdb')
const session = new Session(data)
try {
  const database = wordAfter('--database')
  if (database !== undefined) session.query(`USE ${database}`)
  for (const sql of wordAfter('--query').split('\n;\n')) process.stdout.write(session.query(sql, 'TSV') ?? '')
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
