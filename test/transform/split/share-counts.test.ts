import { expect, test } from 'vitest'
import { conserved, recordsAndEvents } from '../../../src/record/counts.ts'
import { shareCounts } from '../../../src/transform/split/share-counts.ts'
import { seeded } from '../../helpers/random.ts'
import { seedOf } from '../../helpers/seed.ts'

const COUNTS = { rejected: 3, filtered: 4, duplicate: 5, earlier: 0, pending: 0 }

test('the counts of all datasets add up to those of the input, and each is conserved', () => {
  const random = seeded(seedOf('shares of counts'))
  for (let round = 0; round < 200; round++) {
    const sizes = Array.from({ length: 2 + Math.floor(random() * 5) }, () => {
      const events = Math.floor(random() * 40)
      // What seems generated is at times too much or too little.
      return { events, generated: Math.floor(random() * (events + 1)) }
    })
    const all = sizes.reduce((sum, { events }) => sum + events, 0)
    const generated = Math.floor(random() * (all + 1))
    const written = all - generated
    const counts = { ...COUNTS, read: written + 12, written, generated }
    const records = random() < 0.5 ? null : { read: 20, mapped: 17, rejected: 2, filtered: 1 }
    const shares = shareCounts({ counts, records }, sizes)
    for (const name of Object.keys(counts) as (keyof typeof counts)[])
      expect(shares.reduce((sum, share) => sum + share.counts[name], 0)).toBe(counts[name])
    for (const [index, share] of shares.entries()) {
      expect(conserved(share.counts)).toBe(true)
      expect(Math.min(...Object.values(share.counts))).toBeGreaterThanOrEqual(0)
      expect(share.counts.written + share.counts.generated).toBe(sizes[index]!.events)
      expect(recordsAndEvents(share.counts, share.records).events.written).toBe(sizes[index]!.events)
    }
    if (records) {
      const sums = shares.map((share) => share.records!.read)
      expect(sums.reduce((sum, read) => sum + read, 0)).toBe(20)
    }
  }
})

test('what is known to be generated stays where it is', () => {
  const sizes = [
    { events: 10, generated: 1 },
    { events: 20, generated: 6 },
  ]
  const counts = { ...COUNTS, read: 35, written: 23, generated: 7 }
  expect(shareCounts({ counts, records: null }, sizes).map((share) => share.counts.generated)).toEqual([1, 6])
})
