export interface AmplitudeEvent {
  /** ISO-like text, UTC: `2024-03-01 05:00:00.123456`. */
  readonly server_upload_time: string
  readonly [key: string]: unknown
}

const BUILT_IN: Readonly<Record<string, string>> = { version: 'version_name', DMA: 'dma' }

/** A property as the API is asked for it: of the event, of the user, or one of Amplitude's own. */
export function propertyOf(event: AmplitudeEvent, of: string, key: string): unknown {
  const holder = (name: string) => event[name] as Readonly<Record<string, unknown>> | undefined
  if (of === 'event') return holder('event_properties')?.[key] ?? undefined
  if (key.startsWith('gp:')) return holder('user_properties')?.[key.slice(3)] ?? undefined
  return event[BUILT_IN[key] ?? key] ?? undefined
}

export function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Whether a filter holds for a value. */
export function holds(op: string, value: unknown, values: readonly string[]): boolean {
  const text = textOf(value) ?? '(none)'
  if (op === 'is') return values.includes(text)
  if (op === 'is not') return !values.includes(text)
  if (op === 'contains') return values.some((one) => text.includes(one))
  if (op === 'greater') return Number(text) > Number(values[0])
  if (op === 'less') return Number(text) < Number(values[0])
  throw new RangeError(`no such operator: ${op}`)
}
