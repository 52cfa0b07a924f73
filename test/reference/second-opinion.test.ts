import { describe, expect, test } from 'vitest'
import { seedOf } from '../helpers/random.ts'
import { readCorpora, secondOpinion } from './second-opinion.ts'

const seed = seedOf('second opinion')
const corpora = await readCorpora()
const EACH = Math.ceil(8_000 / corpora.length)

describe.each(corpora)('$name', (corpus) => {
  test(`engine and reference agree on ${EACH} records by chance, whatever came before them`, () => {
    const disagreements = secondOpinion(corpus, EACH, seed)
    expect(disagreements.slice(0, 3), `${disagreements.length} disagreements`).toEqual([])
  })
})
