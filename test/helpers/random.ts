import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Seeded random numbers in [0, 1) (mulberry32): the same seed gives the same run. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** The items in another order. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const copy = [...items]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[copy[i], copy[j]] = [copy[j]!, copy[i]!]
  }
  return copy
}

/**
 * The seed of a test, which is printed: POSTHAUL_SEED if it is set; by default one that is always the same, so that a change
 * is judged by what it changed. POSTHAUL_SEED=random looks for new faults, with another seed in each run.
 */
export function seedOf(name: string, fallback = ofName(name)): number {
  const asked = process.env.POSTHAUL_SEED
  const seed = asked === 'random' ? Date.now() % 1_000_000 : Number(asked ?? fallback)
  const told = `${name}: POSTHAUL_SEED=${seed}`
  console.log(told)
  // scripts/test-twice.js tells the seeds of red tests at its end.
  const kept = process.env.POSTHAUL_SEEDS_FILE
  if (kept !== undefined) appendFileSync(kept, `${expect.getState().testPath}\t${told}\n`)
  return seed
}

function ofName(name: string): number {
  return createHash('sha256').update(name).digest().readUInt16BE(0)
}
