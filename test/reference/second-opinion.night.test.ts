import { describe, expect, test } from 'vitest'
import { seedOf } from '../helpers/random.ts'
import { readCorpora, secondOpinion } from './second-opinion.ts'

/** A million records in all: of each preset so many runs, each with a seed of its own. */
const RUNS = 8
const RECORDS = 1_000_000

const seed = seedOf('second opinion by night')
const corpora = await readCorpora()
const each = Math.ceil(RECORDS / corpora.length / RUNS)

describe.each(corpora)('$name', (corpus) => {
  test.each(Array.from({ length: RUNS }, (_, run) => seed + 1 + run))(
    `engine and reference agree on ${each} records by chance, with the seed %d`,
    (seed) => {
      const disagreements = secondOpinion(corpus, each, seed)
      expect(disagreements.slice(0, 3), `${disagreements.length} disagreements`).toEqual([])
    },
  )
})
