import { createHash } from 'node:crypto'
import { S3Store } from '../../../src/store/s3.ts'
import { MIB } from '../../../src/text/units.ts'
import { patience } from '../../helpers/patience.ts'
import { type Answer, says } from '../kit/action.ts'
import type { Received } from '../kit/received.ts'
import { type Asking, all, type Endpoint, STATUS_ALONE } from './endpoint.ts'

const BYTES = Buffer.from('{"state":"Zürich"}')
const ETAG = etagOf(BYTES)

function etagOf(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

function xml(root: string, inner: string): Answer {
  return {
    ...says(200, '', { 'Content-Type': 'application/xml' }),
    body: `<?xml version="1.0"?><${root}>${inner}</${root}>`,
  }
}

const LISTED = `<Contents><Key>p/file</Key><Size>${BYTES.length}</Size><ETag>${ETAG.replaceAll('"', '&quot;')}</ETag></Contents>`
const UPLOAD =
  '<Upload><Key>p/file</Key><UploadId>u</UploadId><Initiated>2024-01-31T00:00:00.000Z</Initiated></Upload>'

/** A bucket that keeps conditions, and has a file. */
function right({ method, path, headers }: Received): Answer {
  const query = new URL(path, 'http://bucket').searchParams
  const isConditional = 'if-none-match' in headers || 'if-match' in headers
  if (method === 'GET' && query.has('uploads'))
    return xml('ListMultipartUploadsResult', `<IsTruncated>false</IsTruncated>${UPLOAD}`)
  if (method === 'GET' && query.has('list-type')) {
    const token = query.has('continuation-token') ? '' : '<NextContinuationToken>t</NextContinuationToken>'
    const more = query.get('prefix') === 'many/' && token !== ''
    return xml('ListBucketResult', `<IsTruncated>${more}</IsTruncated>${more ? token : LISTED}`)
  }
  if (method === 'POST' && query.has('uploads'))
    return xml('InitiateMultipartUploadResult', '<Key>p/file</Key><UploadId>u</UploadId>')
  if (method === 'POST')
    return xml('CompleteMultipartUploadResult', '<Key>p/file</Key><ETag>"whole-2"</ETag>')
  if (method === 'DELETE') return says(204)
  if (method === 'PUT' && isConditional && path.includes('.probe-')) {
    return { ...xml('Error', '<Code>PreconditionFailed</Code>'), status: 412 }
  }
  if (method === 'PUT') return says(200, '', { ETag: ETAG })
  const head = { ETag: ETAG, 'Last-Modified': 'Wed, 31 Jan 2024 00:00:00 GMT' }
  if (method === 'HEAD') return says(200, '', { ...head, 'Content-Length': String(BYTES.length) })
  return { ...says(200, '', head), body: BYTES }
}

/** A request to a bucket; tries are few, since the SDK waits by a clock of its own. */
function bucket(
  name: string,
  struck: RegExp,
  ask: (store: S3Store) => Promise<unknown>,
  more: Partial<Endpoint> & { readonly prefix?: string } = {},
): Endpoint {
  const { prefix = 'p', ...rest } = more
  return {
    name: `S3: ${name}`,
    struck,
    proof: 'value',
    client: 'bucket',
    isOpaque: / file$/.test(name),
    // An object that is read.
    isUnhurried: struck.source.startsWith('^GET \\/bucket\\/p\\/file'),
    // What is in an object, and how long a HEAD says that it is, is the bucket's word.
    believes: /gzip|^a length that is too long$|^10 GB$|^a page before it$/,
    right,
    ask: ({ origin }: Asking) => {
      const hurried = { attempts: 2, quietMs: patience(more.isLarge ? 1000 : 100) }
      return ask(new S3Store(`s3://bucket/${prefix}?endpoint=${origin}`, { hurried }))
    },
    ...rest,
  }
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  return Buffer.concat(await all(chunks)).toString()
}

/** How long a whole object is, its answer alone says. */
const SHORT = /^a length that is too short$|gzip/
/** A part and a byte. */
const LARGE = Buffer.alloc(8 * MIB + 1, 'a')

/** What is asked of a bucket. */
export const BUCKET: readonly Endpoint[] = [
  bucket('a listing', /^GET \/bucket\?.*list-type=2/, (store) => store.list()),
  bucket('a listing, page by page', /^GET \/bucket\?.*list-type=2/, (store) => store.list(), {
    prefix: 'many',
  }),
  bucket('the state of a file', /^HEAD /, (store) => store.stamp('file'), {
    nothing: [undefined],
    // An answer without a body is whole with its head, whatever length that gives.
    believes: /gzip|^a length that is too long$|^10 GB$|^a page before it$|^a drip/,
  }),
  bucket(
    'a whole file',
    /^GET \/bucket\/p\/file/,
    async (store) => {
      const found = await store.load('file')
      return found && { version: found.version, text: found.bytes.toString() }
    },
    { believes: SHORT },
  ),
  bucket('the bytes of a file', /^GET \/bucket\/p\/file/, (store) => textOf(store.read('file')), {
    isEndless: true,
    believes: SHORT,
  }),
  bucket(
    'the bytes of a listed file',
    /^GET \/bucket\/p\/file/,
    (store) => textOf(store.read('file', undefined, ETAG)),
    { isEndless: true, believes: SHORT },
  ),
  bucket(
    'a range of a file',
    /^GET \/bucket\/p\/file/,
    (store) => textOf(store.read('file', { start: 2, end: 9 })),
    {
      right: () => ({
        ...says(206, '', { ETag: ETAG, 'Content-Range': `bytes 2-8/${BYTES.length}` }),
        body: BYTES.subarray(2, 9),
      }),
    },
  ),
  bucket('a write', /^PUT \/bucket\/p\/file/, async (store) => (await store.put('file', BYTES)).version, {
    proof: 'word',
  }),
  bucket(
    'a write on a condition',
    /^PUT \/bucket\/p\/file/,
    async (store) => (await store.put('file', BYTES, { version: ETAG })).version,
    { proof: 'word' },
  ),
  bucket(
    'the probe for conditions',
    /^PUT \/bucket\/p\/\.probe-/,
    async (store) => {
      return (await store.put('file', BYTES, 'absent')).version
    },
    // Its status alone is looked at.
    { proof: 'word', believes: /^(?!\d)/ },
  ),
  bucket('the start of an upload', /^POST \/bucket\/p\/file\?uploads/, put(LARGE), {
    proof: 'word',
    believes: /^twice$/,
    isLarge: true,
  }),
  bucket('a part of an upload', /^PUT \/bucket\/p\/file\?.*partNumber=/, put(LARGE), {
    proof: 'word',
    // Its tag alone is looked at, which the bucket holds against the part at the end.
    believes: /gzip|^a page before it$|^the first answer/,
    isLarge: true,
  }),
  bucket('the end of an upload', /^POST \/bucket\/p\/file\?.*uploadId=/, put(LARGE), {
    proof: 'word',
    believes: /^twice$/,
    isLarge: true,
  }),
  bucket('a removal', /^DELETE \/bucket\/p\/file/, (store) => store.remove('file'), {
    proof: 'word',
    believes: STATUS_ALONE,
  }),
  bucket('unfinished uploads', /^GET \/bucket\?.*uploads/, (store) => store.sweep()),
  bucket('the end of a dead upload', /^DELETE \/bucket\/p\/file\?.*uploadId=/, (store) => store.sweep(), {
    proof: 'word',
    // One that is not there is ended.
    believes: new RegExp(`${STATUS_ALONE.source}|^404`),
  }),
]

function put(bytes: Buffer) {
  return async (store: S3Store) => (await store.put('file', bytes)).version
}
