import { expect, test } from 'vitest'
import type { SpreadRecord } from '../../src/inputs/spread.ts'
import type { ItemOutcome } from '../../src/pipeline/loop.ts'
import { TestExamples } from '../../src/studio/test-examples.ts'

const LINK = { anonymousId: 'd1', userId: 'u1' }

interface Seen {
  readonly source: string
  readonly record?: object
  readonly line?: string
  readonly link?: boolean
  readonly reason?: string
}

/** What is chosen of records, each as what it is an example of and its place among them. */
function chosenOf(seen: readonly Seen[]): Array<[string, number]> {
  const examples = new TestExamples()
  const records = seen.map(
    ({ record = {} }) => ({ bytes: Buffer.from(JSON.stringify(record)) }) as SpreadRecord,
  )
  for (const [at, { source, reason, link, line = '{}' }] of seen.entries()) {
    const bytes = Buffer.from(line)
    const outcome = reason
      ? { status: 'rejected', reason }
      : { status: 'event', line: { bytes, length: bytes.length }, ...(link && { link: LINK }) }
    examples.see(records[at]!, outcome as ItemOutcome, { source })
  }
  return examples.chosen.map(({ about, record }) => [about, records.indexOf(record)])
}

const ANONYMOUS = '{"properties":{"$process_person_profile":false}}'

test('an ordinary record is of the commonest name, whatever the names are called', () => {
  for (const name of ['order', 'toString', '__proto__', '7']) {
    const chosen = chosenOf([{ source: 'rare' }, { source: name }, { source: name }])
    expect(chosen[0]).toEqual([`an ordinary record, ${name}`, 1])
  }
})

test('an anonymous person is one without a profile; else one whose record shows an anonymous id, and is another', () => {
  const linked = { source: 'login', link: true }
  expect(chosenOf([{ source: 'a' }, linked, { source: 'visit', line: ANONYMOUS }])).toContainEqual([
    'an anonymous person, visit',
    2,
  ])
  expect(chosenOf([linked, linked])).toEqual([
    ['an ordinary record, login', 0],
    ['a person with an anonymous id, login', 1],
  ])
})

test('the oddest is of the rarest reason of a reject, else of the rarest shape of members', () => {
  const plain = { source: 'a', record: { x: { y: 1 } } }
  const odd = { source: 'a', record: { x: { z: 1 } } }
  expect(chosenOf([plain, odd, plain])).toEqual([
    ['an ordinary record, a', 0],
    ['the oddest record, a', 1],
  ])
  const often = { source: 'b', reason: 'event_missing' }
  const once = { source: 'c', reason: 'bad_json' }
  expect(chosenOf([plain, odd, plain, often, once, often]).at(-1)).toEqual(['the oddest record, c', 4])
})

test('no record is chosen twice, and none of a record that is left out', () => {
  expect(chosenOf([{ source: 'a' }])).toEqual([['an ordinary record, a', 0]])
  const examples = new TestExamples()
  const record = { bytes: Buffer.from('{}') } as SpreadRecord
  examples.see(record, { status: 'filtered', reason: 'event_dropped' }, { source: 'a' })
  expect(examples.chosen).toEqual([])
})
