/** The seed of a test: POSTHAUL_SEED if it is set, to repeat a run, else the one given. It is printed. */
export function seedOf(name: string, fallback = Date.now() % 1_000_000): number {
  const seed = Number(process.env.POSTHAUL_SEED ?? fallback)
  console.log(`${name}: POSTHAUL_SEED=${seed}`)
  return seed
}
