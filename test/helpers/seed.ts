/** The seed of a test's dice: POSTHAUL_SEED when it is set, to repeat a run; else the one given. Printed. */
export function seedOf(name: string, fallback = Date.now() % 1_000_000): number {
  const seed = Number(process.env.POSTHAUL_SEED ?? fallback)
  console.log(`${name}: POSTHAUL_SEED=${seed}`)
  return seed
}
