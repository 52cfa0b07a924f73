import type { Wait } from '../http/rate-limiter.ts'
import { folded } from './fold.ts'
import { visible } from './visible.ts'

/** Says why nothing moves; waits too short to be noticed are not worth a line. */
export function waitPrinter(stderr: NodeJS.WritableStream): (wait: Wait) => void {
  return ({ ms, why }) => {
    if (ms >= 2000)
      stderr.write(folded(`waiting ${Math.ceil(ms / 1000)} s: ${visible(why)}`, '  ', 'posthaul: '))
  }
}
