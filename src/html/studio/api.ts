import type {
  ColumnQuery,
  ColumnTable,
  EditAnswer,
  EditRequest,
  EventQuery,
  EventTablePage,
  MappingFault,
  MappingText,
  PreviewAnswer,
  PropertyQuery,
  PropertyTable,
  RecordList,
  RecordQuery,
  SaveAnswer,
  SaveRequest,
  StudioRecord,
  StudioRefusal,
  StudioState,
} from '../../studio/studio-data.ts'

/** The server's no, in its own words. */
export class RefusedRequest extends Error {
  readonly code: string
  readonly hint: string | null
  readonly mapping: MappingText | undefined
  readonly fault: MappingFault | undefined

  constructor({ error }: StudioRefusal) {
    super(error.message)
    this.code = error.code
    this.hint = error.hint
    this.mapping = error.mapping
    this.fault = error.fault
  }
}

/** Nobody answered: the studio was ended, or the machine slept. */
export class Unreachable extends Error {}

export const api = {
  state: () => ask<StudioState>('state'),
  preview: (yaml: string, signal: AbortSignal) => ask<PreviewAnswer>('preview', { yaml }, signal),
  columns: (query: ColumnQuery, signal: AbortSignal) => ask<ColumnTable>('columns', query, signal),
  edit: (request: EditRequest) => ask<EditAnswer>('edit', request),
  save: (request: SaveRequest) => ask<SaveAnswer>('save', request),
  record: (number: number, signal: AbortSignal) => ask<StudioRecord>(`records/${number}`, undefined, signal),
  records: (query: RecordQuery, signal: AbortSignal) => askFor<RecordList>('records', query, signal),
  events: (query: EventQuery, signal: AbortSignal) => askFor<EventTablePage>('events', query, signal),
  properties: (query: PropertyQuery, signal: AbortSignal) =>
    askFor<PropertyTable>('properties', query, signal),
}

function askFor<T>(table: string, query: object, signal: AbortSignal): Promise<T> {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, String(value))
  }
  return ask<T>(`${table}?${params}`, undefined, signal)
}

/** True for the end of a request that is no longer wanted. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** A body makes it a POST. Throws Refused, Unreachable, or the DOMException of `signal`. */
async function ask<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  let answer: Response
  let json: unknown
  try {
    answer = await fetch(`api/${path}`, { ...(body !== undefined && post), ...(signal && { signal }) })
    json = await answer.json()
  } catch (error) {
    throw isAborted(error) ? error : new Unreachable('No answer from posthaul studio.', { cause: error })
  }
  if (answer.ok) return json as T
  throw new RefusedRequest(json as StudioRefusal)
}
