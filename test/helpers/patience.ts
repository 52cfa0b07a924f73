/**
 * The factor of every time limit of a test: POSTHAUL_TEST_PATIENCE. Its default is 4 on CI, whose machines are shared, and
 * 1 elsewhere.
 */
const PATIENCE = Number(process.env.POSTHAUL_TEST_PATIENCE || (process.env.CI === 'true' ? 4 : 1))

/** A time limit of a test, given in milliseconds for a quick machine. */
export function patience(ms: number): number {
  return ms * PATIENCE
}
