// Posts ready-made bodies, one after another. No import can be much faster.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Pool } from 'undici'
import { bodiesOf } from '../bodies.ts'

const [origin, path] = process.argv.slice(2) as [string, string]
const pack = promisify(gzip)
const pool = new Pool(origin, { connections: 1 })
for (const body of bodiesOf(path)) {
  const answer = await pool.request({
    method: 'POST',
    path: '/batch/',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    // Compressed as posthaul does it: the same work and the same bytes on the wire.
    body: await pack(body, { level: 2, memLevel: 9, chunkSize: 256 * 1024 }),
  })
  await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`the sink answered ${answer.statusCode}`)
}
await pool.close()
