// The program that most people would write first for a table: csv-parse to objects, JSON.stringify, write.
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { parse } from 'csv-parse'

const LINES = 500
const [from, to] = process.argv.slice(2) as [string, string]
const out = createWriteStream(to, { highWaterMark: 1 << 20 })
let held: string[] = []

async function write(): Promise<void> {
  if (held.length > 0 && !out.write(`${held.join('\n')}\n`)) await once(out, 'drain')
  held = []
}

for await (const row of createReadStream(from).pipe(parse({ columns: true }))) {
  if (held.push(JSON.stringify(row)) === LINES) await write()
}
await write()
out.end()
await finished(out)
