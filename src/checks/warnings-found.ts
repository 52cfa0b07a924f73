/** An event that a warning names. */
export interface WarnedEvent {
  readonly uuid: string
  /** Where it is in the input; undefined where none of the examples is in it, or nobody looked. */
  readonly place?: { readonly file: string; readonly line: number }
}

/** A kind of warning that the service gives. */
export interface FoundWarning {
  readonly type: string
  readonly severity: string
  readonly sampled: number
  /** One of its events, of the input if possible. */
  readonly example: WarnedEvent | undefined
}

/** What the service warned of in a time. Causes, never counts: it samples, and the events of others are among them. */
export interface WarningsFound {
  /** ISO time. */
  readonly since: string
  readonly warnings: readonly FoundWarning[]
  /** Why they could not be asked for. */
  readonly unasked: string | undefined
}

/** True for warnings of events that the service did not store. */
export function isDropped({ severity }: Pick<FoundWarning, 'severity'>): boolean {
  return severity === 'error' || severity === 'info'
}
