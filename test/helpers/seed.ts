/** The seed of a test's dice: POSTHAUL_SEED when it is set, to repeat a run; else the one given. Printed. */
export function seedOf(name: string, fallback = Date.now() % 1_000_000): number {
  const seed = Number(process.env.POSTHAUL_SEED ?? fallback)
  console.log(`${name}: POSTHAUL_SEED=${seed}`)
  return seed
}

/** Uniform numbers in [0, 1) (splitmix32). */
export function dice(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}
