import { gzipSync } from 'node:zlib'
import type { Endpoint } from './endpoints/endpoint.ts'
import { type Action, type Answer, bytesOf, says } from './kit/action.ts'

/** A kind of wrong answer. */
export interface Kind {
  readonly name: string
  /** What is wrong: what it says, what it holds, or how it comes. */
  readonly of: 'status' | 'body' | 'wire'
  /** In substance it is the right answer all the same, so a client may believe it. */
  readonly sound?: true
  /** The client speaks TLS to a server that does not. */
  readonly tls?: true
  /** What is right for the first request is answered to all after it, as by a cache that knows no bodies. */
  readonly repeats?: true
  /** What a connection gets before it has asked anything. */
  readonly greeting?: string
  /** The answer in place of the right one; undefined where the kind says nothing of an endpoint. */
  act(right: Answer, endpoint: Endpoint): Action | undefined
}

const PAGE = '<!doctype html><html><title>Sign in</title><body>Sign in to Wi-Fi</body></html>'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const GIB_10 = 10 * 1024 ** 3

type Row = readonly [
  name: string,
  act: Kind['act'],
  more?: Pick<Kind, 'sound' | 'tls' | 'greeting' | 'repeats'>,
]

const bodyOf = ({ body = '' }: Answer) => (typeof body === 'string' ? Buffer.from(body) : Buffer.from(body))
const textOf = (right: Answer) => bodyOf(right).toString()
const sent = (answer: Answer) => (): Action => ({ answer })
const body = (text: string | Uint8Array, headers = JSON_TYPE) =>
  sent({ status: 200, headers, body: typeof text === 'string' ? Buffer.from(text) : text })

/** The right answer with another body; undefined where that changes nothing. */
function bent(change: (text: string) => string | Uint8Array | undefined): Kind['act'] {
  return (right, { isOpaque }) => {
    if (isOpaque) return undefined
    const [before, after] = [bodyOf(right), change(textOf(right))]
    if (after === undefined || before.equals(Buffer.from(after))) return undefined
    return { answer: { ...right, body: typeof after === 'string' ? Buffer.from(after) : after } }
  }
}

/** The same where the right answer is JSON. */
function bentJson(change: (text: string) => string | Uint8Array | undefined): Kind['act'] {
  return bent((text) => (isJson(text) ? change(text) : undefined))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const headed =
  (headers: Readonly<Record<string, string>>, action: Omit<Action, 'answer'> = {}): Kind['act'] =>
  (right) => ({ answer: { ...right, headers: { ...right.headers, ...headers } }, ...action })

const STATUSES: readonly Row[] = [
  ['100 before it', framed('HTTP/1.1 100 Continue\r\n\r\n'), { sound: true }],
  ['103 before it', framed('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'), { sound: true }],
  ['101', sent({ raw: () => ['HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n'] })],
  ['201 with a page', sent(says(201, PAGE, { 'Content-Type': 'text/html' }))],
  ['202 with nothing', sent(says(202))],
  ['204', sent(says(204))],
  ['205', sent(says(205))],
  [
    '206',
    (right) => ({
      answer: { ...right, status: 206, headers: { ...right.headers, 'Content-Range': 'bytes 0-1/9' } },
    }),
    { sound: true },
  ],
  ['300', sent(says(300))],
  ['301', sent(says(301, '', { Location: '/elsewhere' }))],
  [
    '302 to another host',
    sent(says(302, PAGE, { Location: 'http://192.0.2.1/', 'Content-Type': 'text/html' })),
  ],
  ['304', sent(says(304))],
  ['307', sent(says(307, '', { Location: 'https://' }))],
  ...[400, 401, 402, 403, 404, 405, 407, 408, 409, 412, 413, 416, 418, 422, 429, 451].map(
    (status): Row => [`${status}`, sent(says(status, '{"detail":"no"}', JSON_TYPE))],
  ),
  ...[400, 401, 403, 404].map(
    (status): Row => [`${status} with a page`, sent(says(status, PAGE, { 'Content-Type': 'text/html' }))],
  ),
  ...[500, 501, 502, 503, 504, 512, 599, 999].map((status): Row => [`${status}`, sent(says(status, PAGE))]),
  ...[
    '0',
    '-5',
    'soon',
    '9'.repeat(400),
    '31536000',
    'Fri, 31 Dec 9999 23:59:59 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
  ].map(
    (wait): Row => [
      `429 with Retry-After ${wait.slice(0, 20)}${wait.length > 40 ? '…' : ''}`.trim(),
      sent(says(429, '{"detail":"slow down"}', { ...JSON_TYPE, 'Retry-After': wait })),
    ],
  ),
  ['503 with Retry-After of a year', sent(says(503, 'down', { 'Retry-After': '31536000' }))],
]

function framed(before: string): Kind['act'] {
  return (right) => {
    const { head, payload } = bytesOf(right)
    return { answer: { raw: () => [before, head, payload] } }
  }
}

const DEEP = 100_000
const BODIES: readonly Row[] = [
  ['nothing', body('')],
  ['a blank', body('\r\n')],
  ['a page', body(PAGE, { 'Content-Type': 'text/html' })],
  ['a page said to be JSON', body(PAGE)],
  ['a page before it', bent((text) => `${PAGE}${text}`)],
  ['null', body('null')],
  ['true', body('true')],
  ['a number', body('7')],
  ['a text', body('"ok"')],
  ['NaN', body('NaN')],
  ['an empty object', body('{}')],
  ['an empty array', body('[]')],
  ['no rows', body('{"results":[]}')],
  ['a row without cells', body('{"results":[[]]}')],
  ['a row of nulls', body('{"results":[[null,null,null,null,null,null,null,null,null]]}')],
  ['JSON of another shape', body('{"maintenance":true,"until":"2024-01-31"}')],
  ['an error with 200', body('{"error":"internal","detail":"try later"}')],
  ['an array around it', bentJson((text) => `[${text}]`)],
  ['an object around it', bentJson((text) => `{"data":${text}}`)],
  ['objects for arrays', bentJson((text) => text.replaceAll(/\[[^[\]]*\]/g, '{}'))],
  ['arrays for objects', bentJson((text) => text.replaceAll(/\{[^{}]*\}/g, '[]'))],
  [
    'null for values',
    bentJson((text) =>
      text.replaceAll(/:("[^"]*"|\d+)/g, ':null').replaceAll(/([[,])("[^"]*"|\d+)(?=[\],])/g, '$1null'),
    ),
  ],
  ['1e999 for numbers', bentJson((text) => text.replaceAll(/([[:,])\d+/g, '$11e999'))],
  ['-1 for numbers', bentJson((text) => text.replaceAll(/([[:,])\d+/g, '$1-1'))],
  ['1.5 for numbers', bentJson((text) => text.replaceAll(/([[:,])\d+/g, '$11.5'))],
  ['NaN for numbers', bentJson((text) => text.replaceAll(/([[:,])\d+/g, '$1NaN'))],
  ['2^60 for numbers', bentJson((text) => text.replaceAll(/([[:,])\d+/g, `$1${2n ** 60n}`))],
  ['texts for numbers', bentJson((text) => text.replaceAll(/([[:,])\d+/g, '$1"many"'))],
  ['cut in the middle', bent((text) => text.slice(0, text.length >>> 1))],
  ['without its last byte', bent((text) => text.slice(0, -1))],
  ['twice', bent((text) => text + text)],
  ['names twice, the other value last', bentJson((text) => twice(text, false))],
  ['names twice, the other value first', bentJson((text) => twice(text, true))],
  ['garbage after it', bentJson((text) => `${text}\0garbage`)],
  ['a byte order mark', bent((text) => `\ufeff${text}`), { sound: true }],
  ['UTF-16', bent((text) => Buffer.from(text, 'utf16le'))],
  ['Latin-1', bent((text) => Buffer.from(text, 'latin1'))],
  ['bytes that are no text', body(Buffer.from('00fffe80', 'hex'))],
  ['deep arrays', body('['.repeat(DEEP))],
  ['deep rows', body(`{"results":[${'['.repeat(DEEP)}${']'.repeat(DEEP)}]}`)],
  ['deep objects', body(`${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`)],
  ['the first answer again and again', () => undefined, { repeats: true }],
  ['a good answer to another question', (_, { other }) => other && { answer: other }],
  ['said to be text', headed({ 'Content-Type': 'text/plain; charset=iso-8859-1' }), { sound: true }],
  ['said to be gzip', headed({ 'Content-Encoding': 'gzip' }), { sound: true }],
  ['said to be br', headed({ 'Content-Encoding': 'br' }), { sound: true }],
  [
    'in gzip',
    (right) => ({
      answer: {
        ...right,
        headers: { ...right.headers, 'Content-Encoding': 'gzip' },
        body: gzipSync(bodyOf(right)),
      },
    }),
  ],
  [
    'a gzip bomb',
    (right) => ({
      answer: { ...right, headers: { ...right.headers, 'Content-Encoding': 'gzip' }, body: BOMB },
    }),
  ],
]

/** 512 MiB of blanks. */
const BOMB = gzipSync(Buffer.alloc(64 * 1024 ** 2, ' '), { level: 9 })

/** An object that says each of its members twice. */
function twice(text: string, first: boolean): string | undefined {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const others = Object.keys(value).map(
    (name) => `${JSON.stringify(name)}:${otherThan((value as Record<string, unknown>)[name])}`,
  )
  if (others.length === 0) return undefined
  const inner = text.trim().slice(1, -1)
  return `{${(first ? [others.join(), inner] : [inner, others.join()]).join()}}`
}

/** A value of the same kind that says something else. */
function otherThan(value: unknown): string {
  if (typeof value === 'number') return String(value + 1)
  if (typeof value === 'string') return JSON.stringify(`${value}x`)
  return Array.isArray(value) ? '[]' : JSON.stringify(value === null ? 1 : {})
}

const WIRES: readonly Row[] = [
  ['reset before it', (answer) => ({ answer, reset: 'afterBody' })],
  ['closed before it', (answer) => ({ answer, close: 'afterBody' })],
  ['reset in its head', (answer) => ({ answer, reset: 'inHead' })],
  ['closed in its head', (answer) => ({ answer, close: 'inHead' })],
  ['reset in its body', partly('reset')],
  ['closed in its body', partly('close')],
  ['no answer', (answer) => ({ answer, hang: 'afterBody' })],
  ['silence in its body', partly('hang')],
  [
    'a drip without an end',
    (right) => ({
      answer: { raw: () => [headOf(right, 'Content-Length: 1000000'), '\n'.repeat(1e6)] },
      writeSlowly: 1,
    }),
  ],
  ['a length that is too short', (right) => shorter(right)],
  ['a length that is too long', headed({ 'Content-Length': '1000000' }, { close: 'afterAnswer' })],
  ['a length that is no number', headed({ 'Content-Length': 'many' })],
  ['two lengths', headed({ 'Content-Length': '3\r\nContent-Length: 5' })],
  ['chunks that break off', chunked],
  ['until the connection ends', untilEnd((bytes) => bytes), { sound: true }],
  ['cut, until the connection ends', untilEnd((bytes) => bytes.subarray(0, bytes.length >>> 1))],
  ['10 GB', (right) => ({ answer: { raw: () => huge(right) } })],
  ['a mail server', sent({ raw: () => ['220 mail.example.com ESMTP\r\n'] })],
  ['bytes of TLS', sent({ raw: () => ['\x15\x03\x01\x00\x02\x02\x28'] })],
  [
    'TLS to a plain server',
    (answer) => ({ answer }),
    { tls: true, greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n' },
  ],
  ['a greeting of another protocol', (answer) => ({ answer }), { greeting: 'SSH-2.0-OpenSSH_9.6\r\n' }],
]

function partly(how: 'reset' | 'close' | 'hang'): Kind['act'] {
  return (right) => (bodyOf(right).length < 2 ? undefined : { answer: right, [how]: 'inAnswer' })
}

function headOf({ status = 200, headers = {} }: Answer, ...more: readonly string[]): string {
  const lines = [
    ...Object.entries(headers)
      .filter(([name]) => name !== 'Content-Length')
      .map(([name, value]) => `${name}: ${value}`),
    ...more,
  ]
  return `HTTP/1.1 ${status} Reason\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`
}

function shorter(right: Answer): Action | undefined {
  const { length } = bodyOf(right)
  return length < 4
    ? undefined
    : {
        answer: { ...right, headers: { ...right.headers, 'Content-Length': String(length - 3) } },
        close: 'afterAnswer',
      }
}

function chunked(right: Answer): Action | undefined {
  const bytes = bodyOf(right)
  if (bytes.length === 0) return undefined
  const raw = () => [
    headOf(right, 'Transfer-Encoding: chunked'),
    `${bytes.length.toString(16)}\r\n`,
    bytes,
    '\r\n',
  ]
  return { answer: { raw }, close: 'afterAnswer' }
}

function untilEnd(cut: (bytes: Buffer) => Buffer): Kind['act'] {
  return (right) => {
    const bytes = bodyOf(right)
    return bytes.length < 2
      ? undefined
      : { answer: { raw: () => [headOf(right), cut(bytes)] }, close: 'afterAnswer' }
  }
}

const BLANKS = Buffer.alloc(1024 ** 2, '\n')

function* huge(right: Answer): Generator<string | Uint8Array> {
  const bytes = bodyOf(right)
  yield headOf(right, `Content-Length: ${GIB_10}`)
  yield bytes
  for (let left = GIB_10 - bytes.length; left > 0; left -= BLANKS.length)
    yield BLANKS.subarray(0, Math.min(left, BLANKS.length))
}

/** Every kind of wrong answer. */
export const KINDS: readonly Kind[] = [
  ...STATUSES.map((row) => kind(row, 'status')),
  ...BODIES.map((row) => kind(row, 'body')),
  ...WIRES.map((row) => kind(row, 'wire')),
]

function kind([name, act, more]: Row, of: Kind['of']): Kind {
  return { name, of, act, ...more }
}
