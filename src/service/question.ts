import { deadline } from '../http/clock.ts'
import { NetworkError } from '../http/network-error.ts'
import type { ApiSettings } from '../options/service-settings.ts'
import { Api } from './api.ts'

/** How long an answer is waited for. */
interface Patience {
  readonly interrupted: AbortSignal
  /** Aborted when the caller's own time is over; without it only `timeoutMs` counts. */
  readonly over?: AbortSignal
  readonly timeoutMs: number
}

/** Asks the API something, for a limited time: code `unavailable` if there is no answer by then, with what it waited for. */
export async function serviceQuestion<T>(
  settings: ApiSettings,
  { interrupted, over, timeoutMs }: Patience,
  ask: (api: Api) => Promise<T>,
): Promise<T> {
  const end = deadline(timeoutMs, [interrupted, ...(over ? [over] : [])])
  const { signal } = end
  let waits = ''
  const onWait = ({ why }: { why: string }) => {
    waits = ` (${why})`
  }
  const api = new Api({ settings, signal, onWait })
  try {
    return await ask(api)
  } catch (error) {
    if ((end.isLate || over?.aborted) && !interrupted.aborted) {
      throw new NetworkError(`${api.origin} does not answer${waits}`, 'timeout')
    }
    throw error
  } finally {
    end.release()
    await api.close()
  }
}
