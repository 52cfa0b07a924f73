import { useEffect, useState } from 'preact/hooks'
import type { Answer, Asked, Call, StudioRefusal } from '../../studio/studio-data.ts'

/** The server's no, in its own words. */
export class RefusedRequest extends Error {
  readonly refusal: StudioRefusal

  constructor(refusal: StudioRefusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** What is said where nobody answered: the studio was ended, or the machine slept. */
export const UNREACHABLE = 'posthaul studio does not answer'

/** True for the end of a request that is no longer wanted. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** Throws RefusedRequest, UNREACHABLE, or the DOMException of `signal`. */
export async function ask<C extends Call>(
  call: C,
  asked: Asked<C>,
  signal: AbortSignal | null = null,
): Promise<Answer<C>> {
  const headers = { 'content-type': 'application/json' }
  let answer: Response
  let json: unknown
  try {
    answer = await fetch(`api/${call}`, { method: 'POST', headers, body: JSON.stringify(asked), signal })
    json = await answer.json()
  } catch (error) {
    throw isAborted(error) ? error : new Error(UNREACHABLE, { cause: error })
  }
  if (answer.ok) return json as Answer<C>
  throw new RefusedRequest(json as StudioRefusal)
}

/** Asks again when the question changes, or the mapping; null asks nothing. The answer before stays meanwhile, so that nothing flickers. */
export function useAnswer<C extends Call>(call: C, asked: Asked<C> | null, revision = '') {
  const [answer, setAnswer] = useState<{ value?: Answer<C>; failure?: Error }>({})
  useEffect(() => {
    if (asked === null) return
    const running = new AbortController()
    ask(call, asked, running.signal).then(
      (value) => setAnswer({ value }),
      (failure) => isAborted(failure) || setAnswer({ failure }),
    )
    return () => running.abort()
  }, [revision, JSON.stringify(asked)])
  return answer
}
