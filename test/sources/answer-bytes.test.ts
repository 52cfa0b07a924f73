import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { askJson, saveAnswer } from '../../src/sources/answer-bytes.ts'
import type { VendorClient } from '../../src/sources/vendor-client.ts'
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
  ['says more than it can have', '101', 'the archive is larger than 100 bytes, the most it can have'],
])('an answer that %s is asked for again', async (_, said, message) => {
  const saved = saveAnswer(answer(said, BYTES), join(testFolder(), 'a.zip'), terms)
  await expect(saved).rejects.toMatchObject({ fate: 'retry', message })
})

test.each([
  ['{"a":1}', 7, 'right'],
  ['{"a":1}', 6, 'too long'],
  ['{"a"', 7, 'Vendor says no JSON: {"a"'],
  ['\xff', 7, "bytes that aren't UTF-8"],
])('JSON %j of %i bytes at most is %s', async (text, most, outcome) => {
  const { headers, body } = answer(undefined, Buffer.from(text, 'latin1'))
  const client = { vendor: 'Vendor', ask: async () => ({ headers, body }), redact: (told: string) => told }
  const request = {
    read: (read: string) => JSON.parse(read) && 'right',
    most,
    tooLong: () => new Error('too long'),
    otherwise: 'Vendor says no JSON',
    method: 'GET' as const,
    path: '/',
  }
  const asked = askJson(client as unknown as VendorClient, request, new AbortController().signal)
  expect(await asked.catch((error: Error) => error.message)).toContain(outcome)
})
