import { expect, test } from 'vitest'
import { noSample } from '../../src/commands/transform/sample-result.ts'
import { listInputs } from '../../src/inputs/list.ts'
import { NO_COLUMNS } from '../../src/mapping/columns.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { unusable } from '../../src/transform/wrong-input.ts'
import { folderOf } from '../helpers/folder.ts'

const event = (name: string) =>
  `{"event":"buy","distinct_id":"u1","timestamp":"2024-03-01T12:00:00Z","properties":{"name":${name}}}\n`

interface Refusals {
  readonly reason: string
  readonly record: string
}

/** The advice on a file most of whose records are refused for one reason. */
async function adviceOn(bytes: Buffer, { reason, record }: Refusals) {
  const folder = folderOf({ 'x.ndjson': bytes })
  const inputs = await listInputs([folder])
  const reasons = new Map([[reason, { count: 9, message: 'refused', record }]])
  const job = { inputs, columns: NO_COLUMNS, mapping: NO_MAPPING, preset: 'posthog' }
  return unusable({ ...noSample(), read: 10, rejected: 9, reasons }, job, 0.1)
}

test.each([
  [
    'Windows-1252',
    Buffer.from(event('"Jürgen Groß"'), 'latin1'),
    'bad_utf8',
    /posthaul init <the same files> --out mapping.yaml finds out which/,
  ],
  ["Python's NaN", Buffer.from(event('NaN')), 'bad_json', /say "json: python"/],
] as const)('the advice on %s says what to do, not to leave records out', async (_, bytes, reason, hint) => {
  const record = bytes.toString()
  const error = await adviceOn(bytes, { reason, record })
  expect(error?.hint).toMatch(hint)
  expect(error?.hint).not.toContain('--max-reject-ratio')
  expect(error?.options).toEqual({ '--map': 'mapping.yaml' })
})

test('broken lines of other kinds keep their advice', async () => {
  const error = await adviceOn(Buffer.from(event('"x"')), { reason: 'bad_json', record: '{"NaN' })
  expect(error?.hint).toContain('raise --max-reject-ratio')
})
