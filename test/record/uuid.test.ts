import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonicalUuid,
  compareUuids,
  isUuid,
  POSTHAUL_NAMESPACE,
  readUuid,
  readUuidBytes,
  readUuidView,
  type UuidWords,
  uuidText,
  uuidV5,
  uuidV5Words,
  uuidV7,
  uuidWords,
  writeUuid,
} from '../../src/record/uuid.ts'
import { CODE_POINT } from '../helpers/code-point.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('uuid')
const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
const MIXPANEL = '706f7374-686f-675f-6d69-7870616e656c'

/** The text of what `uuidV5Words` makes of bytes. */
function uuidV5OfBytes(namespace: string, bytes: Buffer, start: number, end: number): string {
  return written(uuidV5Words(namespace, bytes, start, end))
}

function written(uuid: UuidWords): string {
  const bytes = Buffer.alloc(40)
  writeUuid(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 2, uuid)
  return bytes.toString('latin1', 2, 38)
}

/** Version 5 by the platform's own hash. */
function reference(namespace: string, name: Uint8Array | string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

describe('version 5', () => {
  test('of every length about the sizes of its buffer and of the views it keeps', () => {
    for (let length = 0; length < 2200; length++) {
      const bytes = Buffer.alloc(length, 'x')
      expect(uuidV5OfBytes(DNS, bytes, 0, length), `${length}`).toBe(reference(DNS, bytes))
    }
  })

  test('of a short name after a long one', () => {
    const short = Buffer.from('short')
    const before = uuidV5OfBytes(DNS, short, 0, short.length)
    uuidV5(DNS, 'long '.repeat(10_000))
    expect(uuidV5OfBytes(DNS, short, 0, short.length)).toBe(before)
    expect(before).toBe(reference(DNS, short))
  })

  test.each([
    [MIXPANEL, 'unique_insert_id_123', '65fdb562-3dcd-5dc3-bc74-78ee4b077e17'],
    [MIXPANEL, 'hpuDqcvpltpCjBsebtxwadtEBDnFAdycabFb', 'a4e29744-95f9-50e9-a142-9dae78bf8065'],
    [DNS, 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
    [DNS, 'posthaul', POSTHAUL_NAMESPACE],
  ])('of %s and %s', (namespace, name, expected) => expect(uuidV5(namespace, name)).toBe(expected))

  test('is that of the platform, of text and of bytes', () => {
    const text = fc.oneof(
      fc.string({ unit: CODE_POINT, maxLength: 200 }),
      fc.constantFrom('', 'é'.repeat(5000), '😀'),
    )
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(DNS, MIXPANEL, POSTHAUL_NAMESPACE),
        fc.nat(9),
        (name, namespace, pad) => {
          const expected = reference(namespace, name)
          expect(uuidV5(namespace, name)).toBe(expected)
          const bytes = Buffer.concat([randomBytes(pad), Buffer.from(name), randomBytes(pad)])
          expect(uuidV5OfBytes(namespace, bytes, pad, bytes.length - pad)).toBe(expected)
        },
      ),
      { seed, numRuns: 1000 },
    )
  })

  test('of a line of a megabyte', () => {
    const bytes = Buffer.alloc(1 << 20, 'posthaul ')
    expect(uuidV5OfBytes(DNS, bytes, 0, bytes.length)).toBe(reference(DNS, bytes))
    expect(uuidV5(DNS, bytes.toString())).toBe(reference(DNS, bytes))
  })

  test('refuses a namespace that is no UUID', () => expect(() => uuidV5('posthaul', 'a')).toThrow(TypeError))
})

describe('canonicalUuid', () => {
  const canonical = 'a4e29744-95f9-50e9-a142-9dae78bf8065'
  test.each([
    canonical,
    canonical.toUpperCase(),
    canonical.replaceAll('-', ''),
    `{${canonical}}`,
    `urn:uuid:${canonical}`,
  ])('reads %s', (text) => expect(canonicalUuid(text)).toBe(canonical))

  test.each([
    ...['', 'a', canonical.slice(1), `${canonical}0`, `{${canonical}`, `${canonical}}`, ` ${canonical}`],
    ...[`${canonical}\n`, canonical.replace('a', 'g'), 'urn:uuid:', '{}', `urn:uuid:${canonical}}`],
  ])('refuses %j', (text) => expect(canonicalUuid(text)).toBeUndefined())

  test('takes any version, and the one of zeros', () => {
    for (const text of ['00000000-0000-0000-0000-000000000000', '018d6f2e-7a00-7000-8000-000000000001']) {
      expect(canonicalUuid(text)).toBe(text)
      expect(isUuid(text)).toBe(true)
    }
    expect(isUuid(canonical.toUpperCase())).toBe(false)
  })
})

describe('words', () => {
  test('are the text that they were read from', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(9), (uuid, pad) => {
        const bytes = Buffer.from(`${' '.repeat(pad)}${uuid}"`)
        const read = readUuid(bytes, pad, pad + 36)
        expect(read && written(read)).toBe(uuid)
        expect(written(uuidWords(uuid))).toBe(uuid)
      }),
      { seed },
    )
  })

  const canonical = 'a4e29744-95f9-50e9-a142-9dae78bf8065'
  test('are not read from text that differs from a canonical UUID anywhere', () => {
    for (let at = 0; at < canonical.length; at++) {
      for (const other of ['g', 'A', '/', ':', '`', '-', ' ', '\0', '\xff', '0']) {
        const text = canonical.slice(0, at) + other + canonical.slice(at + 1)
        if (isUuid(text)) continue
        expect(readUuid(Buffer.from(text, 'latin1'), 0, 36), text).toBeUndefined()
        expect(() => uuidWords(text), text).toThrow(TypeError)
      }
    }
    for (const text of ['', canonical.slice(1), `${canonical}0`])
      expect(readUuid(Buffer.from(text), 0, text.length)).toBeUndefined()
  })
})

test.each(['device:1709251200000', '', 'ä€😀', 'x'.repeat(5000)])(
  'a version 7 of %.20j has the time and the hash of the name',
  (name) => {
    const hash = createHash('sha256').update(name).digest()
    const text = Buffer.from(`<a>${name}<>`)
    const bytes = Buffer.concat([Buffer.from('018df74f8400', 'hex'), hash.subarray(0, 10)])
    bytes[6] = (bytes[6]! & 0x0f) | 0x70
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    const id = uuidV7(Date.UTC(2024, 2, 1), text, 3, text.length - 2)
    expect(id.replaceAll('-', '')).toBe(bytes.toString('hex'))
    expect(id).toMatch(/^018df74f-8400-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    // The hash of a version 5 uses the same memory.
    expect(uuidV5(DNS, name)).toBe(reference(DNS, name))
    expect(uuidV7(Date.UTC(2024, 2, 1), text, 3, text.length - 2)).toBe(id)
  },
)

test('reads every digit at every place into the bytes that the text spells', () => {
  const words = new Uint32Array(6)
  for (let turn = 0; turn < 16; turn++) {
    const hex = Array.from({ length: 32 }, (_, at) => ((at * 7 + turn) % 16).toString(16)).join('')
    const text = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    readUuidBytes(Buffer.from(`>>>${text}`), 3, words)
    const bytes = Buffer.from(hex, 'hex')
    expect([...words]).toEqual([0, 4, 8, 12].map((at) => bytes.readUInt32LE(at)).concat(0, 0))
    const again = new Uint32Array(6)
    const line = new TextEncoder().encode(`>>>${text}`)
    readUuidView(new DataView(line.buffer), 3, again, 2)
    expect([...again]).toEqual([0, 0, ...words.slice(0, 4)])
    expect(uuidText(again, 2)).toBe(text)
  }
})

test('uuids are in the order of their texts, whichever digit differs', () => {
  const id = '89abcdef-0123-4567-89ab-cdef01234567'
  const wordsOf = (text: string) => {
    const words = new Uint32Array(4)
    readUuidBytes(Buffer.from(text), 0, words)
    return words
  }
  for (let at = 0; at < id.length; at++) {
    if (id[at] === '-') continue
    const other = id.slice(0, at) + (id[at] === '8' ? '7' : '8') + id.slice(at + 1)
    expect(Math.sign(compareUuids(wordsOf(id), 0, wordsOf(other), 0)), other).toBe(id < other ? -1 : 1)
  }
  expect(compareUuids(wordsOf(id), 0, wordsOf(id), 0)).toBe(0)
})
