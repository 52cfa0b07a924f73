import { createHash } from 'node:crypto'

/**
 * The seed of a test, which is printed: POSTHAUL_SEED if it is set; by default one that is always the same, so that a change
 * is judged by what it changed. POSTHAUL_SEED=random looks for new faults, with another seed in each run.
 */
export function seedOf(name: string, fallback = ofName(name)): number {
  const asked = process.env.POSTHAUL_SEED
  const seed = asked === 'random' ? Date.now() % 1_000_000 : Number(asked ?? fallback)
  console.log(`${name}: POSTHAUL_SEED=${seed}`)
  return seed
}

function ofName(name: string): number {
  return createHash('sha256').update(name).digest().readUInt16BE(0)
}
