import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testFolder } from '../helpers/folder.ts'
import { listingOf, type Outcome } from './listing.ts'

/** One file, one output and one request. `bytes` is what each of them holds. */
function outcome(bytes: { file: string; stdout: string; sent: string; asked: string }): Outcome {
  const folder = testFolder()
  writeFileSync(join(folder, 'part.ndjson'), bytes.file)
  return {
    folder,
    printed: [{ argv: ['check', 'events'], code: 0, stdout: bytes.stdout }],
    requests: [
      { method: 'POST', path: '/batch/', body: Buffer.from(bytes.sent) },
      { method: 'POST', path: '/api/projects/1/query/', body: Buffer.from(bytes.asked) },
    ],
  }
}

const PLAIN = { file: '{"n":1}\n', stdout: 'done\n', sent: '{"batch":[]}', asked: '{"query":{}}' }

test.each(Object.keys(PLAIN))('one flipped byte of %s is seen', (kind) => {
  const bytes = Buffer.from(PLAIN[kind as keyof typeof PLAIN])
  bytes[1]! ^= 1
  const bent = listingOf(outcome({ ...PLAIN, [kind]: bytes.toString() }))
  const plain = listingOf(outcome(PLAIN))
  expect(bent.split('\n').filter((line) => !plain.includes(line))).toHaveLength(1)
})

test('what the machine decides is not seen', () => {
  const here = outcome(PLAIN)
  const elsewhere = outcome(PLAIN)
  for (const { folder } of [here, elsewhere]) {
    writeFileSync(join(folder, 'state.json'), `{"from": "${folder}/part.ndjson", "seconds": ${Math.SQRT2}}`)
  }
  expect(listingOf(here)).toBe(listingOf(elsewhere))
})
