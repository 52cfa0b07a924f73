/**
 * Waits for `work`, but no longer than until `signal` aborts: then it resolves to undefined. The work itself goes on, and
 * nobody hears how it ends.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let onAbort: () => void = () => undefined
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) resolve(undefined)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    // A listener that stays would keep the work in memory during the run.
    signal.removeEventListener('abort', onAbort)
  }
}
