/** Time, so that a test can hand out its own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  wall(): number
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
