import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { expect } from 'vitest'

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
