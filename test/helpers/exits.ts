import { expect } from 'vitest'
import { unfolded } from './unfolded.ts'

interface End {
  readonly code: number | null
  readonly stderr?: string
  /** What stderr says, where a test has unfolded it. */
  readonly text?: string
}

/** Expects that a command ends by this exit code, and says this on stderr, however its lines are folded. */
export async function exits<Ran extends End>(
  code: number,
  running: Ran | Promise<Ran>,
  says?: string | RegExp,
): Promise<Ran> {
  const ran = await running
  const { stderr = ran.text ?? '' } = ran
  expect(ran.code, stderr).toBe(code)
  if (says !== undefined) expect(unfolded(stderr)).toMatch(says)
  return ran
}
