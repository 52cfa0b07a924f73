import { expect } from 'vitest'
import { runCli } from './cli-process.ts'
import { peakMib, TELLS_PEAK } from './peak-memory.ts'

/** Runs a command, which has to end with one of `codes`; returns the most memory it ever had, of all threads, in MiB. */
export async function peakOf(
  argv: readonly string[],
  codes: readonly number[],
  env: Record<string, string> = {},
) {
  const { code, stderr } = await runCli(argv, { ...env, ...TELLS_PEAK })
  expect(codes, stderr).toContain(code)
  return peakMib(stderr)
}
