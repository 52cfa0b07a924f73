import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Cell, fileCell } from '../../src/state/cell.ts'
import { findManifest } from '../../src/store/dataset.ts'
import { testFolder } from '../helpers/folder.ts'
import { MemoryStore } from '../helpers/memory-store.ts'
import { CELLS, type CellRow, cellAt, LINES, LOGS, PIECES, sampleOf } from './declared.ts'

const SRC = join(import.meta.dirname, '../../src')

test('every state that the source declares is in the list, once', () => {
  const texts = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(SRC, file), 'utf8'))
  const all = texts.join('\n')
  const declared = [
    ...all.matchAll(/new (?:CellKind|LogKind|PieceKind|LinesPiece)(?:<\w+>)?\(\{\s*name: '([^']+)'/g),
  ]
  expect(declared.length).toBe([...all.matchAll(/new (?:CellKind|LogKind|PieceKind|LinesPiece)\b/g)].length)
  const kinds = [...CELLS, ...LINES].map(({ kind }) => kind)
  const listed = [...kinds, ...LOGS, ...PIECES].map(({ name }) => name)
  expect(declared.map(([, name]) => name).sort()).toEqual(listed.sort())
})

/** A file with these bytes. */
function holding(bytes: Uint8Array): Cell {
  const path = join(testFolder(), 'state')
  writeFileSync(path, bytes)
  return fileCell(path)
}

async function expectRefused(
  kind: CellRow['kind'],
  unreadable: CellRow['unreadable'],
  cell: Pick<Cell, 'address' | 'load' | 'previous'>,
): Promise<void> {
  const loaded = kind.load(cell)
  if (unreadable === 'none') return void expect(await loaded).toBeUndefined()
  await expect(loaded).rejects.toMatchObject({
    code: unreadable,
    message: expect.stringContaining(cell.address),
    hint: expect.stringMatching(/./),
  })
}

describe.each(CELLS.map((row) => [row.kind.name, row] as const))('%s', (_, row) => {
  const { kind } = row
  const sample = sampleOf(kind)
  const whole = async () => (await kind.load(holding(sample)))!.value

  test('a file of version 1.0.0 is read, and written as it was', async () => {
    const written = Buffer.from(kind.encode(await whole()))
    const text = (bytes: Buffer) => (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString()
    expect(text(written)).toBe(text(sample))
  })

  test('none is there before the first save', async () => {
    expect(await kind.load(fileCell(join(testFolder(), 'state')))).toBeUndefined()
  })

  test('cut anywhere, it is never taken for another', async () => {
    const value = await whole()
    for (let length = 1; length < sample.length; length++) {
      const reading = kind.read(sample.subarray(0, length))
      if (reading.kind === 'whole') expect([length, reading.value]).toEqual([sample.length - 1, value])
    }
    await expectRefused(kind, row.unreadable, holding(sample.subarray(0, sample.length / 2)))
  })

  test('where it has a checksum, a wrong bit is noticed wherever it changes the meaning', async () => {
    if (!sample.includes('"checksum"')) return
    const value = await whole()
    for (let at = 0; at < sample.length; at++) {
      const bent = Buffer.from(sample)
      bent[at]! ^= 0x01
      const reading = kind.read(bent)
      // A changed blank between two members can still be valid JSON of the same meaning.
      if (reading.kind === 'whole') expect([reading.value, bent[at]! < 0x22]).toEqual([value, true])
    }
  })

  test('emptied, or all zeros, as a power cut leaves it', async () => {
    await expectRefused(kind, row.unreadable, holding(Buffer.alloc(sample.length)))
    if (row.isEmptyWhole) expect(await kind.load(holding(Buffer.alloc(0)))).toBeDefined()
    else await expectRefused(kind, row.unreadable, holding(Buffer.alloc(0)))
  })

  test.each(['{}', '[]', '"text"', 'null', 'event,distinct_id\na,b\n'])('other text: %s', async (text) => {
    await expectRefused(kind, row.foreign ?? row.unreadable, holding(Buffer.from(text)))
  })

  test.each([0, 99])('of version %i', async (version) => {
    const cell = holding(Buffer.from(kind.encode({ ...((await whole()) as object), version })))
    expect(kind.read((await cell.load())!.bytes)).toEqual({ kind: 'other version' })
    await expectRefused(kind, row.unreadable, cell)
    if (row.unreadable !== 'none')
      await expect(kind.load(cell)).rejects.toThrow(
        `${cell.address} was written by another version of posthaul`,
      )
  })

  test('a folder in its place is refused', async () => {
    const path = join(testFolder(), 'state')
    mkdirSync(path)
    await expect(kind.load(fileCell(path))).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining(`${path}: it is a folder`),
    })
    await expect(kind.save(fileCell(path), await whole())).rejects.toMatchObject({ code: 'input' })
  })

  test('where the generation before it is kept, it stands in for a damaged one', async () => {
    if (!row.keepsPrevious) return
    const path = join(testFolder(), 'state')
    const cell = cellAt(path, row)
    const [old, now] = [await whole(), row.other(await whole())]
    for (const value of [old, now]) await kind.save(cell, value)
    const newest = readFileSync(path)
    expect(await kind.load(cell)).toMatchObject({ value: now, fellBack: false })
    for (const damaged of [newest.subarray(0, 100), Buffer.alloc(0), Buffer.alloc(500)]) {
      writeFileSync(path, damaged)
      expect(await kind.load(cell)).toMatchObject({ value: old, fellBack: true })
    }
    writeFileSync(`${path}.previous`, '{}')
    await expect(kind.load(cell)).rejects.toMatchObject({
      code: row.unreadable,
      message: expect.stringContaining('is damaged, and so is the generation before it'),
    })
    rmSync(path)
    await expectRefused(kind, row.unreadable, cell)
    // What another version or somebody else wrote is refused, not gone back from.
    writeFileSync(`${path}.previous`, kind.encode(old))
    for (const text of ['event,distinct_id\n', kind.encode({ ...(now as object), version: 99 })]) {
      writeFileSync(path, text)
      await expect(kind.load(cell)).rejects.toMatchObject({ code: expect.stringMatching(/usage|mismatch/) })
    }
  })
})

describe.each(PIECES.map((kind) => [kind.name, kind] as const))('%s', (_, kind) => {
  const sample = sampleOf(kind)
  const whole = kind.read(sample)

  test('a file of version 1.0.0 is whole, and sealed as it was', () => {
    expect(whole.isWhole).toBe(true)
    expect(kind.seal(whole.said!).toString()).toBe(sample.toString())
  })

  test('cut or changed at each byte, it is not whole', () => {
    for (let at = 0; at < sample.length; at++) {
      const bent = Buffer.from(sample)
      bent[at]! ^= 1 << (at % 8)
      for (const bytes of [sample.subarray(0, at), bent]) {
        expect(kind.read(bytes).isWhole, bytes.toString()).toBe(false)
      }
    }
  })

  test.each([
    ['nothing', ''],
    ['zeros', '\0'.repeat(99)],
    ['twice the same', `${sample}${sample}`],
    ['other JSON', '{}'],
    ['no JSON', 'event,distinct_id\n'],
  ])('%s is not whole', (_name, text) => {
    expect(kind.read(Buffer.from(text)).isWhole).toBe(false)
  })
})

describe.each(LINES.map((row) => [row.kind.name, row] as const))(
  '%s',
  (_, { kind, unreadable, read, isUnnamed }) => {
    const sample = sampleOf(kind)
    const sha256 = createHash('sha256').update(sample).digest('hex')
    const reading = async (bytes: Buffer) => {
      const store = new MemoryStore()
      await store.put('state', bytes)
      return read(store, 'state', sha256)
    }
    const refusal = {
      code: unreadable,
      message: expect.stringContaining('memory/state'),
      hint: expect.any(String),
    }

    test('a file of version 1.0.0 is read', async () => {
      await reading(sample)
    })

    test('cut or changed at each byte, it is refused', async () => {
      // Nothing names the sha256 of the sent record, and it is put as a whole: only what is no line of its own is noticed.
      const cuts = [...sample.keys()].filter(
        (at) => !isUnnamed || (at > 0 && ![0x0a, 0x7d].includes(sample[at - 1]!)),
      )
      for (const at of cuts)
        await expect(reading(sample.subarray(0, at)), `${at}`).rejects.toMatchObject(refusal)
      for (const at of isUnnamed ? [0] : sample.keys()) {
        const bent = Buffer.from(sample)
        bent[at]! ^= 1 << (at % 8)
        await expect(reading(bent), `${at}`).rejects.toMatchObject(refusal)
      }
    })

    test('of another version, or of zeros, it is refused', async () => {
      const newer = Buffer.from(sample.toString().replace('"version":1', '"version":2'))
      await expect(reading(newer)).rejects.toThrow('memory/state was written by another version of posthaul')
      await expect(reading(Buffer.alloc(99))).rejects.toMatchObject(refusal)
    })
  },
)

test('a manifest that is cut, empty, of another version or other text is refused', async () => {
  const sample = sampleOf({ name: 'manifest' })
  const store = new MemoryStore()
  await store.put('manifest.json', sample)
  expect((await findManifest(store))?.manifest).toEqual(JSON.parse(sample.toString()))
  const [older, newer] = ['1', '3'].map((n) =>
    Buffer.from(sample.toString().replace('"version": 2', `"version": ${n}`)),
  )
  const cuts = Array.from({ length: 50 }, (_, n) => sample.subarray(0, n * 50))
  for (const bytes of [Buffer.from('{}'), Buffer.alloc(99), ...cuts]) {
    await store.put('manifest.json', bytes)
    await expect(findManifest(store)).rejects.toMatchObject({ code: 'input' })
  }
  for (const bytes of [older!, newer!]) {
    await store.put('manifest.json', bytes)
    await expect(findManifest(store)).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('was written by another version of posthaul'),
    })
  }
})
