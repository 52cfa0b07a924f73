import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHECKPOINT, type CheckpointState, NO_OWN_EVENTS } from '../../src/delivery/checkpoint.ts'
import { judge } from '../../src/delivery/verdict.ts'
import { PosthaulError } from '../../src/errors.ts'
import { retryAfterMs } from '../../src/http/retry.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { parseReject } from '../../src/record/reject.ts'
import { Scanner } from '../../src/record/scan.ts'
import { manifestSchema } from '../../src/store/manifest.ts'
import { loadCheckpoint } from '../helpers/checkpoint.ts'
import { makeFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('fuzz')
const runs = { seed, numRuns: kills({ few: 500, many: 4_000 }) }
const folder = makeFolder()

/** Any JSON value, with the names of these among its own. */
function jsonWith(names: readonly string[]): fc.Arbitrary<unknown> {
  const key = fc.oneof(fc.constantFrom(...names, '__proto__', 'constructor', ''), fc.string())
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, 0, -1, 1e300, 0.5, '', '2024-01-01', 'properties.x', ...names),
      fc.string(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 6 }),
    ),
  })).value
}

/** A text with some of its bytes changed, left out, put in, or all after them cut off. */
function bent(bytes: Buffer): fc.Arbitrary<Buffer> {
  const edit = fc.record({
    kind: fc.constantFrom('flip', 'cut', 'drop', 'add', 'zero'),
    at: fc.nat(bytes.length - 1),
    byte: fc.nat(255),
  })
  return fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) =>
    edits.reduce((text, { kind, at, byte }) => {
      const [before, after] = [text.subarray(0, at), text.subarray(at + 1)]
      if (kind === 'cut') return before
      if (kind === 'drop') return Buffer.concat([before, after])
      if (kind === 'add') return Buffer.concat([before, Buffer.from([byte]), text.subarray(at)])
      const other = kind === 'zero' ? 0 : (text[at] ?? 0) ^ (byte || 1)
      return Buffer.concat([before, Buffer.from([other]), after])
    }, bytes),
  )
}

test('the scanner takes what JSON.parse takes, of any bytes at all', () => {
  const scanner = new Scanner()
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"a"',
    ':',
    ',',
    '1',
    '-',
    '.5',
    'e9',
    'null',
    'tru',
    '\\',
    '"',
    ' ',
    '\0',
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((some) => Buffer.from(some)),
    fc.array(pieces, { maxLength: 30 }).map((some) => Buffer.from(some.join(''))),
    fc.json().chain((text) => bent(Buffer.from(`{"a":${text}}`))),
    fc.json().map((text) => Buffer.from(`{"a":${text}}`)),
  )
  fc.assert(
    fc.property(bytes, (line) => {
      expect(scanner.scan(line, 0, line.length)).toBe(isObjectText(line))
    }),
    runs,
  )
})

function isObjectText(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    )
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const MAPPING_NAMES =
  `preset events rename drop keep properties set filter from to fields event distinct_id timestamp
  uuid groups company columns columns_rest person_properties big_integers source_timezone posthog
  json type path`.split(/\s+/)

test('a mapping file of any shape is a mapping, or is refused with words', () => {
  let taken = 0
  const text = fc.oneof(
    jsonWith(MAPPING_NAMES).map((value) => JSON.stringify(value)),
    fc
      .constantFrom(...MAPPING_NAMES)
      .chain((key) => jsonWith(MAPPING_NAMES).map((value) => JSON.stringify({ [key]: value }))),
    fc
      .array(fc.tuple(fc.constantFrom(...MAPPING_NAMES), fc.string()), { maxLength: 5 })
      .map((rows) => rows.map(([key, value]) => `${key}: ${value}\n`).join('')),
    bent(
      Buffer.from(
        'preset: mixpanel\nevents:\n  rename: { "a b": c }\n  drop: [&x d, *x]\nfilter: { from: 2022-01-01 }\n',
      ),
    ).map((bytes) => bytes.toString('latin1')),
    fc.string(),
  )
  fc.assert(
    fc.property(text, (content) => {
      try {
        parseMapping(content, 'mapping.yaml')
        taken++
      } catch (error) {
        expect(error, content).toBeInstanceOf(PosthaulError)
        expect((error as PosthaulError).exitCode).toBe(2)
      }
    }),
    runs,
  )
  expect(taken).toBeGreaterThan(0)
})

const none = { bytes: 0, sha256: 'e3b0' }
const STATE: CheckpointState = {
  tool: 'posthaul 0.1.0',
  id: 'x',
  started_at: '2024-01-01T00:00:00Z',
  saved_at: '2024-01-01T00:00:01Z',
  input: { kind: 'file', name: 'a.ndjson', size: 9, head: none, consumed: none },
  target: { host: 'https://example.com', key: 'f' },
  caps: { events_per_minute: 1, events: 1, approved: false },
  command: [],
  via: 'batch',
  remarks: { warnings: {}, unmerged: {}, unknown: 0 },
  rules: 'posthog 1.1',
  places: [{ part: 0, offset: 0, line: 1 }],
  most_lanes: 1,
  counts: { delivered: 3, rejected: 1, filtered: 0 },
  reasons: { bad_json: 1 },
  filters: {},
  young: 0,
  notes: {
    mends: {
      lone_surrogate: 0,
      huge_number: 0,
      big_integer: 0,
      event_name_cut: 0,
      id_trimmed: 0,
      not_finite: 0,
      deep_array: 0,
      clock_twice: 0,
      clock_skipped: 0,
    },
    duplicate_keys: 0,
    big_integers: {},
    ignored_members: {},
    import_ids: {},
    unusable: {},
  },
  rejects: none,
  own: NO_OWN_EVENTS,
  done: false,
}
const WHOLE = Buffer.from(CHECKPOINT.encode(STATE))

test('a checkpoint that is bent anywhere is never trusted, unless it says the very same', () => {
  expect(CHECKPOINT.read(WHOLE)).toEqual({ kind: 'whole', value: STATE })
  fc.assert(
    fc.property(bent(WHOLE), (bytes) => {
      const reading = CHECKPOINT.read(bytes)
      if (reading.kind === 'whole') expect(reading.value).toEqual(STATE)
    }),
    runs,
  )
})

test('a checkpoint of other members with a checksum of its own is whole, of another version, or no checkpoint', () => {
  const path = join(folder, 'a.checkpoint.json')
  const names = ['version', ...Object.keys(STATE)]
  return fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom(...names), jsonWith(names), { maxKeys: 3 }),
      async (others) => {
        writeFileSync(path, CHECKPOINT.encode({ ...STATE, ...others } as CheckpointState))
        try {
          const loaded = await loadCheckpoint(path)
          expect(loaded?.state).toMatchObject({ tool: expect.any(String), done: expect.any(Boolean) })
        } catch (error) {
          expect(error).toBeInstanceOf(PosthaulError)
          expect([2, 6]).toContain((error as PosthaulError).exitCode)
        }
      },
    ),
    { ...runs, numRuns: kills({ few: 100, many: 800 }) },
  )
})

test('an answer of any shape gets a verdict, and only the words of the service are an acceptance', () => {
  const body = fc.oneof(
    fc.string(),
    jsonWith(['status', 'Ok', 'quota_limited', 'type', 'detail']).map((value) => JSON.stringify(value)),
    bent(Buffer.from('{"status":"Ok","quota_limited":[]}')).map((bytes) => bytes.toString('utf8')),
    fc.constantFrom(
      '{"status":1}',
      '{"status":"Ok"}',
      '<html>Ok</html>',
      '{"status":["Ok"]}',
      '{"status":"Ok","quota_limited":["events"]}',
    ),
  )
  const headers = fc.dictionary(fc.constantFrom('retry-after', 'content-type', 'location'), fc.string(), {
    maxKeys: 3,
  })
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 599 }),
      headers,
      body,
      fc.integer(),
      (status, head, text, now) => {
        const verdict = judge({ status, headers: head, body: text } as Parameters<typeof judge>[0], now)
        expect(['accepted', 'retry', 'split', 'pause', 'fatal']).toContain(verdict.kind)
        expect(verdict.kind === 'accepted', `${status} ${text}`).toBe(
          status >= 200 && status < 300 && saysOk(text),
        )
        if ('waitMs' in verdict) expect(verdict.waitMs).toBeGreaterThanOrEqual(0)
        if ('reason' in verdict) expect(verdict.reason).not.toMatch(/\p{Cc}/u)
      },
    ),
    runs,
  )
})

/** A second opinion: an object whose status is 1 or ok, and which names no quota. */
function saysOk(body: string): boolean {
  try {
    const value = JSON.parse(body)
    const quota = value.quota_limited ?? []
    const isObject = typeof value === 'object' && !Array.isArray(value)
    return (
      isObject &&
      /^(?:1|"ok")$/i.test(JSON.stringify(value.status)) &&
      Array.isArray(quota) &&
      quota.length === 0
    )
  } catch {
    return false
  }
}

test('any Retry-After is a time to wait, or none', () => {
  const value = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.double().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.constantFrom('1e9', '0x10', ' 5 ', '-1', '99999999999999999999', 'Infinity', 'NaN', '1, 2'),
  )
  fc.assert(
    fc.property(value, fc.integer({ min: 0, max: 4e12 }), (text, now) => {
      const wait = retryAfterMs(text, now)
      if (wait !== undefined) expect(Number.isFinite(wait) && wait >= 0, text).toBe(true)
    }),
    runs,
  )
})

test('a manifest of any shape is refused with the place of what is wrong, never taken in part', () => {
  const names = 'version kind events raw parts file bytes sha256 records names tool'.split(' ')
  fc.assert(
    fc.property(jsonWith(names), (value) => {
      expect(manifestSchema.safeParse(value).error?.issues.length).toBeGreaterThan(0)
    }),
    runs,
  )
})

test('any line of a rejects file is a reject or it is not, and a sound one keeps its record', () => {
  const sound = Buffer.from('{"line":1,"offset":0,"reason":"bad_json","message":"m","record":"{\\"a\\":1}"}')
  const line = fc.oneof(
    bent(sound),
    jsonWith(['line', 'offset', 'reason', 'message', 'record']).map((value) =>
      Buffer.from(`{"line":1,"record":${JSON.stringify(value)}}`),
    ),
  )
  fc.assert(
    fc.property(line, (bytes) => {
      const reject = parseReject(bytes, 0, bytes.length)
      if (reject) expect(reject.record === null || typeof reject.record === 'string').toBe(true)
    }),
    runs,
  )
})
