import { createInterface } from 'node:readline/promises'
import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'

/** Holds the project's name against what the user gave, or types on a terminal. */
export function confirmer(given: string | undefined, { stdin, stderr, interrupted }: Io) {
  return async (project: string): Promise<void> => {
    const name = given ?? (stdin.isTTY ? await typed() : undefined)
    if (name === project) return
    const what =
      name === undefined ? 'to delete events takes the name of their project' : `the project is not "${name}"`
    throw new PosthaulError(`${what}; nothing was asked`, {
      code: 'usage',
      hint: `give --project-name with the name that posthaul projects list shows`,
    })
  }

  async function typed(): Promise<string | undefined> {
    const lines = createInterface({ input: stdin })
    const ended = new AbortController()
    lines.once('close', () => ended.abort())
    stderr.write("these events can't be brought back from PostHog. Type the project's name to delete them: ")
    try {
      return await lines.question('', { signal: AbortSignal.any([interrupted, ended.signal]) })
    } catch (cause) {
      if (interrupted.aborted)
        throw new PosthaulError('interrupted; nothing was asked', { code: 'interrupted', cause })
      // A question that waits when the input ends is never answered.
      return undefined
    } finally {
      lines.close()
    }
  }
}
