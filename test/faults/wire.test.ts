import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { type Action, type Answer, OK, says } from './kit/action.ts'
import { chosen } from './kit/chosen.ts'
import { type Fault, type MidRun, midRun, type Next } from './kit/mid-run.ts'

const seed = seedOf('wire')
const random = seeded(seed)
const OK_BODY = '{"status":"Ok"}'
const PLAIN = `HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n${OK_BODY}`

/** Bytes on the wire that a client must not take for an acknowledgement. */
const bytes = (...pieces: readonly (string | Uint8Array)[]): Answer => ({
  raw: () => pieces,
  acknowledges: false,
})
/** Bytes on the wire that acknowledge. */
const kept = (...pieces: readonly string[]): Answer => ({ raw: () => pieces, acknowledges: true })
const headed = (headers: Readonly<Record<string, string>>, body: string | Uint8Array = OK_BODY): Answer => {
  return { status: 200, headers, body, acknowledges: false }
}
const chunked = (body: string, acknowledges: boolean): Answer => {
  return { headers: { 'Transfer-Encoding': 'chunked' }, body, acknowledges }
}

type Row = readonly [name: string, action: Action, next: Next]

/** How long the answer is. */
const LENGTHS: readonly Row[] = [
  ['shorter than its body', { answer: headed({ 'Content-Length': '5' }) }, 'again'],
  ['0', { answer: headed({ 'Content-Length': '0' }) }, 'again'],
  ['longer than its body', { answer: headed({ 'Content-Length': '500' }), close: 'afterAnswer' }, 'again'],
  ['no number', { answer: headed({ 'Content-Length': 'fifteen' }) }, 'again'],
  ['negative', { answer: headed({ 'Content-Length': '-15' }) }, 'again'],
  ['beyond all numbers', { answer: headed({ 'Content-Length': '9'.repeat(40) }) }, 'again'],
  ['two lengths', { answer: headed({ 'Content-Length': '15\r\nContent-Length: 3' }) }, 'again'],
  [
    'a length and chunks',
    {
      answer: headed(
        { 'Content-Length': '3', 'Transfer-Encoding': 'chunked' },
        `f\r\n${OK_BODY}\r\n0\r\n\r\n`,
      ),
    },
    'again',
  ],
  ['chunks', { answer: chunked(`f\r\n${OK_BODY}\r\n0\r\n\r\n`, true) }, 'went on'],
  [
    'chunks of a byte',
    { answer: chunked(`${[...OK_BODY].map((c) => `1\r\n${c}\r\n`).join('')}0\r\n\r\n`, true) },
    'went on',
  ],
  ['chunks with a trailer', { answer: chunked(`f\r\n${OK_BODY}\r\n0\r\nX-Sum: 1\r\n\r\n`, true) }, 'went on'],
  [
    'chunks without the last',
    { answer: chunked(`f\r\n${OK_BODY}\r\n`, false), close: 'afterAnswer' },
    'again',
  ],
  ['a chunk that is cut', { answer: chunked(`f\r\n{"sta`, false), reset: 'afterAnswer' }, 'again'],
  ['a chunk of a wrong size', { answer: chunked(`4\r\n${OK_BODY}\r\n0\r\n\r\n`, false) }, 'again'],
  ['a chunk of no size', { answer: chunked(`zz\r\n${OK_BODY}\r\n0\r\n\r\n`, false) }, 'again'],
  [
    'until the connection ends',
    { answer: kept(`HTTP/1.1 200 OK\r\n\r\n${OK_BODY}`), close: 'afterAnswer' },
    'went on',
  ],
  [
    'until it is reset',
    { answer: bytes(`HTTP/1.1 200 OK\r\n\r\n${OK_BODY.slice(0, 9)}`), reset: 'afterAnswer' },
    'again',
  ],
  [
    'cut, until it ends',
    { answer: bytes(`HTTP/1.1 200 OK\r\n\r\n${OK_BODY.slice(0, 9)}`), close: 'afterAnswer' },
    'again',
  ],
]

/** What comes before, after or in place of an answer. */
const FRAMES: readonly Row[] = [
  ['garbage after it', { answer: kept(`${PLAIN}garbage\r\n\r\n`) }, 'went on'],
  ['a second acknowledgement after it', { answer: kept(PLAIN + PLAIN) }, 'went on'],
  ['a refusal after it', { answer: kept(`${PLAIN}HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n`) }, 'went on'],
  [
    'an acknowledgement after a refusal',
    { answer: bytes(`HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n${PLAIN}`) },
    'again',
  ],
  ['102 before it', { answer: kept(`HTTP/1.1 102 Processing\r\n\r\n${PLAIN}`) }, 'went on'],
  ['103 before it', { answer: kept(`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${PLAIN}`) }, 'went on'],
  [
    '101, to another protocol',
    { answer: bytes('HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n') },
    'again',
  ],
  ['206', { answer: says(206, OK_BODY, { 'Content-Range': 'bytes 0-14/15' }) }, 'went on'],
  ['HTTP/1.0', { answer: { ...OK, version: '1.0' }, close: 'afterAnswer' }, 'went on'],
  [
    'HTTP/1.0 without a length',
    { answer: kept(`HTTP/1.0 200 OK\r\n\r\n${OK_BODY}`), close: 'afterAnswer' },
    'went on',
  ],
  ['HTTP/0.9', { answer: bytes(OK_BODY), close: 'afterAnswer' }, 'again'],
  ['HTTP/2', { answer: bytes(Buffer.from('00001204000000000000', 'hex')), close: 'afterAnswer' }, 'again'],
  ['a mail server', { answer: bytes('220 mail.example.com ESMTP\r\n') }, 'again'],
  ['TLS', { answer: bytes(Buffer.from('15030100020228', 'hex')), close: 'afterAnswer' }, 'again'],
  ['nothing', { answer: bytes(), close: 'afterAnswer' }, 'again'],
  ['no reason', { answer: { ...OK, reason: '' } }, 'went on'],
  ['a status of two digits', { answer: bytes(PLAIN.replace('200', '20')) }, 'again'],
  ['a status of four digits', { answer: bytes(PLAIN.replace('200', '2000')) }, 'again'],
  ['a status of letters', { answer: bytes(PLAIN.replace('200', 'two')) }, 'again'],
  ['status 999', { answer: says(999, OK_BODY) }, 'again'],
  ['a header with odd bytes', { answer: { ...OK, headers: { 'X-Odd': '\xff\xfe\t"' } } }, 'went on'],
  ['a header with a NUL', { answer: { ...headed({ 'X-Odd': 'a\0b' }) } }, 'again'],
  ['a header name with odd bytes', { answer: headed({ 'X-\xff': 'a' }) }, 'again'],
  ['a header without a name', { answer: headed({ '': 'a' }) }, 'again'],
  ['a head that is cut', { answer: OK, store: true, close: 'inHead' }, 'again'],
  ['an early refusal', { answer: says(413, 'too large'), early: true }, 'halved'],
  ['an early outage', { answer: says(503), early: true }, 'again'],
  ['an early outage, then a reset', { answer: says(503), early: true, reset: 'inBody' }, 'again'],
]

/** Nobody asked for a packed answer, and none is unpacked. */
const PACKED: readonly Row[] = [
  ['gzip', { answer: headed({ 'Content-Encoding': 'gzip' }, gzipSync(OK_BODY)) }, 'again'],
  ['deflate', { answer: headed({ 'Content-Encoding': 'deflate' }, deflateSync(OK_BODY)) }, 'again'],
  ['br', { answer: headed({ 'Content-Encoding': 'br' }, brotliCompressSync(OK_BODY)) }, 'again'],
  ['gzip in name only', { answer: { ...OK, headers: { 'Content-Encoding': 'gzip' } } }, 'went on'],
]

const MIB = 1024 * 1024
const BLANKS = Buffer.alloc(MIB, ' ')

function* times(count: number, piece: string | Uint8Array): Generator<string | Uint8Array> {
  for (let i = 0; i < count; i++) yield piece
}

/** An answer of 1 GiB. */
function huge(head: string, begin = '', piece: string | Uint8Array = BLANKS): Answer {
  const length = begin.length + 1024 * piece.length
  return {
    raw: function* () {
      yield `HTTP/1.1 ${head}\r\nContent-Length: ${length}\r\n\r\n${begin}`
      yield* times(1024, piece)
    },
    acknowledges: false,
  }
}

function lasting(begin: string, piece: string, end: string): Answer {
  return {
    raw: function* () {
      yield begin
      yield* times(4096, piece.repeat(Math.ceil((256 * 1024) / piece.length)))
      yield end
    },
    acknowledges: false,
  }
}

/** Answers of 1 GiB. */
const HUGE: readonly Row[] = [
  ['200 with blanks', { answer: huge('200 OK') }, 'again'],
  ['200 that begins as an acknowledgement', { answer: huge('200 OK', OK_BODY.slice(0, -1)) }, 'again'],
  ['200 that is one, and then blanks', { answer: huge('200 OK', OK_BODY) }, 'again'],
  ['200 of a gzip bomb', { answer: huge('200 OK\r\nContent-Encoding: gzip', '', gzipSync(BLANKS)) }, 'again'],
  ['503', { answer: huge('503 Down') }, 'again'],
  ['413 of the service', { answer: huge('413 Large', 'maximum event size exceeded') }, 'halved'],
  ['400 that is a page', { answer: huge('400 Bad', '<html>') }, 'again'],
  ['a header', { answer: lasting('HTTP/1.1 200 OK\r\nX-Long: ', 'x', `\r\n\r\n${OK_BODY}`) }, 'again'],
  ['headers', { answer: lasting('HTTP/1.1 200 OK\r\n', 'X-Many: x\r\n', `\r\n${OK_BODY}`) }, 'again'],
  ['a reason', { answer: lasting('HTTP/1.1 200 ', 'x', `\r\n\r\n${OK_BODY}`) }, 'again'],
  [
    'a chunk extension',
    {
      answer: lasting(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nf;',
        'x',
        `\r\n${OK_BODY}\r\n0\r\n\r\n`,
      ),
    },
    'again',
  ],
  [
    'a trailer',
    {
      answer: lasting(
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n${OK_BODY}\r\n0\r\n`,
        'X-Many: x\r\n',
        '\r\n',
      ),
    },
    'again',
  ],
  ['answers of 102', { answer: lasting('', 'HTTP/1.1 102 Processing\r\n\r\n', '') }, 'again'],
]

const TABLES: readonly [about: string, rows: readonly Row[], few: number][] = [
  ['a length that is', LENGTHS, 5],
  ['an answer with', FRAMES, 6],
  ['an answer packed by', PACKED, 2],
  ['1 GiB of', HUGE, 2],
]

describe.each(TABLES)('%s', (_, rows, few) => {
  const faults = chosen(rows, few, random).map(([name, action, next]): Fault => ({ name, action, next }))
  let run: MidRun
  beforeAll(async () => {
    run = await midRun(faults, { seed, speed: 60 })
  })

  test.each(faults)('$name: $next', (fault) => {
    expect(run.next(fault)).toBe(fault.next)
  })

  test('loses nothing, and takes no memory', () => {
    run.judge()
    expect(run.ended.code).toBe(0)
    expect(run.ended.peakMib).toBeLessThan(200)
  })
})
