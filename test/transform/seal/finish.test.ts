import { expect, test } from 'vitest'
import { formatReject, type Reject } from '../../../src/record/reject.ts'
import { numbered, type UnitRejects, withLineBase } from '../../../src/transform/seal/finish.ts'

const reject: Reject = { line: 1, offset: 0, reason: 'bad_json', message: 'no JSON', record: '{"line":1,' }

async function based(text: string, base: number, chunk: number): Promise<string> {
  async function* chunks() {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk)
  }
  const out: Buffer[] = []
  for await (const piece of withLineBase(chunks(), base)) out.push(piece)
  return Buffer.concat(out).toString()
}

test.each([0, 1, 999_999])(
  'numbers are counted on from %i, however the file is cut into chunks',
  async (base) => {
    const rejects = [reject, { ...reject, line: 99, record: 'é' }, { ...reject, line: 123_456, record: null }]
    const text = rejects.map(formatReject).join('')
    const expected = rejects.map((one) => formatReject({ ...one, line: one.line + base })).join('')
    for (let chunk = 1; chunk <= text.length; chunk++) expect(await based(text, base, chunk)).toBe(expected)
    expect(await based('', base, 1)).toBe('')
  },
)

test('a long reject is passed on as it comes, not held whole', async () => {
  let [given, ahead] = [0, 0]
  async function* chunks() {
    yield Buffer.from('{"line":1,"record":"')
    for (; given < 100; given++) yield Buffer.alloc(1000, 0x78)
    yield Buffer.from('"}\n')
  }
  let bytes = 0
  for await (const piece of withLineBase(chunks(), 7)) {
    bytes += piece.length
    ahead = Math.max(ahead, given * 1000 - bytes)
  }
  expect(bytes).toBeGreaterThan(100_000)
  expect(ahead).toBeLessThan(2000)
})

test('rejects of units are numbered through their input, and each input begins at its first line', async () => {
  const unit = (input: number, lines: number, line: number): UnitRejects => ({
    input,
    lines,
    chunks: (async function* () {
      yield Buffer.from(formatReject({ ...reject, line }))
    })(),
  })
  const out: Buffer[] = []
  for await (const piece of numbered([unit(0, 10, 3), unit(0, 5, 2), unit(2, 7, 4), unit(2, 1, 1)]))
    out.push(piece)
  const lines = Buffer.concat(out).toString().trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as Reject).line)).toEqual([3, 12, 4, 8])
})
