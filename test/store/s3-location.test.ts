import { expect, test } from 'vitest'
import { besideLocation, parseS3, s3Address, splitAddress } from '../../src/store/s3-location.ts'

test.each([
  ['s3://bucket', { bucket: 'bucket', prefix: '', endpoint: undefined }],
  ['s3://bucket/', { bucket: 'bucket', prefix: '', endpoint: undefined }],
  ['s3://my.bucket-1/a/b/', { bucket: 'my.bucket-1', prefix: 'a/b', endpoint: undefined }],
  ['S3://bucket//a//b', { bucket: 'bucket', prefix: 'a/b', endpoint: undefined }],
  [
    's3://bucket/a?endpoint=http://127.0.0.1:9000/',
    { bucket: 'bucket', prefix: 'a', endpoint: 'http://127.0.0.1:9000' },
  ],
])('%s', (location, parsed) => expect(parseS3(location)).toEqual(parsed))

test.each(['s3://', 's3:///a', 's3://UP_per/a b', 's3://b/a', 's3://bucket/../a', 's3://bucket/a?region=eu'])(
  '%s is no address',
  (location) => expect(() => parseS3(location)).toThrow('no address in a bucket'),
)

test.each(['ftp://x', 'minio:9000', 'https://user:secret@host', 'https://host/?a=1'])(
  '%s is no endpoint, and is not repeated',
  (endpoint) => {
    const error = (() => {
      try {
        return parseS3(`s3://bucket/a?endpoint=${endpoint}`)
      } catch (caught) {
        return caught as Error
      }
    })()
    expect(error).toMatchObject({ code: 'usage' })
    expect(String(error)).not.toContain('secret')
  },
)

test('an address is taken apart as it was made', () => {
  for (const location of [
    's3://bucket',
    's3://bucket/a/b',
    's3://bucket/a?endpoint=https://minio.example.com:9000',
  ]) {
    const address = s3Address(parseS3(location), 'x.ndjson')
    const split = splitAddress(address)
    expect(split.name).toBe('x.ndjson')
    expect(parseS3(split.location)).toEqual(parseS3(location))
  }
})

test.each([
  ['events/', 'events-mended/'],
  ['s3://bucket/events//', 's3://bucket/events-mended/'],
  [
    's3://bucket/events?endpoint=http://127.0.0.1:9000',
    's3://bucket/events-mended/?endpoint=http://127.0.0.1:9000',
  ],
  ['what?', 'what?-mended/'],
])('beside %s lies %s', (location, beside) => expect(besideLocation(location, '-mended')).toBe(beside))
