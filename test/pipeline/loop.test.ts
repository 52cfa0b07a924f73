import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { InputFile } from '../../src/inputs/input-file.ts'
import { listInputs } from '../../src/inputs/list.ts'
import type { People } from '../../src/mapping/mapped.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { type ItemOutcome, RecordLoop, type RecordVisitor } from '../../src/pipeline/loop.ts'
import { testFolder } from '../helpers/folder.ts'
import { AT_2026 } from '../helpers/mapper.ts'
import { plain } from '../transform/plain.ts'

const exploding: Preset = {
  ...plain,
  explode: { member: 'items' },
  fields: { ...plain.fields, '(child)': [], items: '*' },
}
const { signal: stop } = new AbortController()

function engineOf(preset: Preset = plain, people?: People): Engine {
  return new Engine(preset, NO_MAPPING, { ...AT_2026, people })
}

const event = (n: number) => JSON.stringify({ event: 'E', user: 'u', n })
const holding = (...ns: unknown[]) => JSON.stringify({ event: 'E', user: 'u', items: ns })

async function inputsOf(...texts: string[]): Promise<InputFile[]> {
  const folder = testFolder()
  for (const [index, text] of texts.entries()) writeFileSync(join(folder, `${index}.ndjson`), text)
  return listInputs([folder])
}

/** A visitor that notes what it is given, up to `most` items. */
function noting(most = Number.POSITIVE_INFINITY) {
  const seen: string[] = []
  const visitor: RecordVisitor = {
    isFull: () => seen.length === most,
    take(outcome, { line, child }) {
      seen.push(`${line}${child === undefined ? '' : `.${child}`} ${textOf(outcome)}`)
    },
  }
  return { seen, visitor }
}

function textOf(outcome: ItemOutcome): string {
  if (outcome.status === 'filtered') return outcome.reason
  if (outcome.status === 'rejected') return `${outcome.reason}: ${outcome.record}`
  return String(JSON.parse(outcome.text).properties.n)
}

test('records of several files come in order, with what could not be mapped', async () => {
  const { seen, visitor } = noting()
  const loop = new RecordLoop(engineOf(), visitor)
  const inputs = await inputsOf(`${event(1)}\n{"event":"E"}\n`, `\n${event(2)}\n[1]\n`)
  expect(await loop.read(inputs, { stop })).toBe(5)
  expect(seen).toEqual(['1 1', '2 distinct_id_missing: {"event":"E"}', '2 2', '3 not_an_object: [1]'])
  expect(loop.records).toEqual({ read: 4, mapped: 2, rejected: 2, filtered: 0 })
  expect(loop.isEnded).toBe(false)
})

test('children come one by one, and the records that held them are counted beside them', async () => {
  const { seen, visitor } = noting()
  const loop = new RecordLoop(engineOf(exploding), visitor)
  const records = [holding({ n: 1 }, 2, { n: 3 }), holding(), '{"event":"E","items":1}', event(4)]
  await loop.read(await inputsOf(records.join('\n')), { stop })
  expect(seen.map((one) => one.replace(/(:|undefined).*/, ''))).toEqual([
    '1.1 ',
    '1.2 child_not_an_object',
    '1.3 ',
    '2 no_children',
    '3 children_not_an_array',
    '4 4',
  ])
  expect(loop.records).toEqual({ read: 4, mapped: 2, rejected: 1, filtered: 1 })
})

test('the item of a child holds its whole record too', () => {
  const wholes: Array<readonly [child: number | undefined, whole: string]> = []
  const loop = new RecordLoop(engineOf(exploding), {
    take: (_, { child, whole }) => wholes.push([child, whole.copy().toString()]),
  })
  const record = holding({ n: 1 }, { n: 2 })
  loop.give(Buffer.from(record))
  expect(wholes).toEqual([
    [1, record],
    [2, record],
  ])
})

test.each([
  ['records', plain, [event(1), event(2), event(3)]],
  ['children', exploding, [holding({ n: 1 }, { n: 2 }, { n: 3 })]],
  ['records with children', exploding, [holding({ n: 1 }, { n: 2 }), holding({ n: 3 })]],
])('the reading ends when the visitor is full: %s', async (_, preset, records) => {
  const { seen, visitor } = noting(2)
  const loop = new RecordLoop(engineOf(preset), visitor)
  await loop.read(await inputsOf(records.join('\n'), event(4)), { stop })
  expect(seen).toHaveLength(2)
  expect(loop.isEnded).toBe(true)
})

test('a visitor that is full with the last record has read all of them', async () => {
  const { visitor } = noting(2)
  const loop = new RecordLoop(engineOf(), visitor)
  await loop.read(await inputsOf(`${event(1)}\n${event(2)}\n`), { stop })
  expect(loop.isEnded).toBe(false)
})

test('what a visitor does not want is not mapped', () => {
  const { seen, visitor } = noting()
  const engine = engineOf()
  const wants: RecordVisitor['wants'] = (bytes, start, end) =>
    !bytes.toString('utf8', start, end).includes('2')
  const loop = new RecordLoop(engine, { ...visitor, wants })
  for (const n of [1, 2, 3]) loop.give(Buffer.from(event(n)), n)
  expect(seen).toEqual(['1 1', '3 3'])
  expect(engine.takeCounts().inventory.members.n).toEqual({ kept: 2 })
})

test('a record that can not be mapped and names someone who is forgotten is filtered', () => {
  const people: People = {
    leavesOut: () => false,
    isForgotten: () => false,
    isNamedIn: (record) => record.includes('ann'),
  }
  const { seen, visitor } = noting()
  const loop = new RecordLoop(engineOf(plain, people), visitor)
  loop.give(Buffer.from('{"user":"ann"}'), 1)
  loop.give(Buffer.from('{"user":"bob"}'), 2)
  loop.reject({ line: 3, offset: 0, reason: 'broken', message: '', record: 'ann,1' })
  loop.tooLong(0, 9, 4)
  expect(seen).toEqual([
    '1 forgotten',
    '2 event_missing: {"user":"bob"}',
    '3 forgotten',
    '4 line_too_long: null',
  ])
  expect(loop.records).toEqual({ read: 4, mapped: 0, rejected: 2, filtered: 2 })
})

test('a stopped reading throws the reason', async () => {
  const loop = new RecordLoop(engineOf(), noting().visitor)
  const reading = loop.read(await inputsOf(event(1)), { stop: AbortSignal.abort(new Error('enough')) })
  await expect(reading).rejects.toThrow('enough')
})

test('the name that the source gives an event is told only of what was mapped', () => {
  const sources: Array<string | undefined> = []
  const loop = new RecordLoop(engineOf(), { take: (_, { source }) => sources.push(source) })
  loop.give(Buffer.from('{"event":"Old","user":"u"}'))
  loop.reject({ line: 2, offset: 0, reason: 'broken', message: '', record: null })
  loop.give(Buffer.from('{"user":"u"}'))
  expect(sources).toEqual(['Old', undefined, undefined])
})
