import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { saveAnswer } from '../../src/sources/answer-bytes.ts'
import { testFolder } from '../helpers/folder.ts'

/** An answer that says its length in a header, and has `bytes`. */
function answer(said: string | undefined, bytes: Buffer): Parameters<typeof saveAnswer>[0] {
  async function* body() {
    yield bytes
  }
  const headers: Record<string, string> = said === undefined ? {} : { 'content-length': said }
  return { status: 200, headers, redact: (text) => text, body: body(), text: async () => '' }
}

const BYTES = Buffer.from('archive')
const terms = { most: 100, whose: 'the archive' }

test.each([
  ['of the length that it says', '7'],
  ['that says no length', undefined],
])('an answer %s is saved', async (_, said) => {
  const path = join(testFolder(), 'a.zip')
  await saveAnswer(answer(said, BYTES), path, terms)
  expect(readFileSync(path)).toEqual(BYTES)
})

test.each([
  ['has less than it says', '8', 'the archive has 8 bytes, and 7 came'],
  ['has more than it says', '6', 'the archive has 6 bytes, and 7 came'],
  ['says more than it can have', '101', 'the archive is larger than the 100 bytes that it can have'],
])('an answer that %s is asked for again', async (_, said, message) => {
  const saved = saveAnswer(answer(said, BYTES), join(testFolder(), 'a.zip'), terms)
  await expect(saved).rejects.toMatchObject({ fate: 'retry', message })
})
