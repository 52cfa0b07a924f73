import { useEffect, useState } from 'preact/hooks'
import type {
  AddedTest,
  ColumnQuery,
  ColumnTable,
  Edit,
  EditAnswer,
  EventQuery,
  EventTablePage,
  MappingText,
  PreviewAnswer,
  PropertyQuery,
  PropertyTable,
  RecordList,
  RecordQuery,
  SaveAnswer,
  StudioRecord,
  StudioRefusal,
  StudioState,
  TestRun,
} from '../../studio/studio-data.ts'

/** The server's no, in its own words. */
export class RefusedRequest extends Error {
  readonly refusal: StudioRefusal['error']

  constructor({ error }: StudioRefusal) {
    super(error.message)
    this.refusal = error
  }
}

/** What is said where nobody answered: the studio was ended, or the machine slept. */
export const UNREACHABLE = 'posthaul studio does not answer'

export const api = {
  state: () => ask<StudioState>('state'),
  preview: (yaml: string, signal: AbortSignal) => ask<PreviewAnswer>('preview', { yaml }, signal),
  edit: (request: { yaml: string; edit: Edit }) => ask<EditAnswer>('edit', request),
  save: (request: Pick<MappingText, 'yaml' | 'digest'>) => ask<SaveAnswer>('save', request),
  runTests: (request: { yaml: string; accept: boolean }, signal?: AbortSignal) =>
    ask<TestRun>('tests/run', request, signal),
  addTest: (request: { record: number; yaml: string }) => ask<AddedTest>('tests', request),
}

/** What is searched among all of the sample: a question, and its answer. */
interface Tables {
  readonly records: readonly [RecordQuery, RecordList]
  readonly events: readonly [EventQuery, EventTablePage]
  readonly properties: readonly [PropertyQuery, PropertyTable]
}

/** True for the end of a request that is no longer wanted. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** A body makes it a POST. Throws RefusedRequest, UNREACHABLE, or the DOMException of `signal`. */
async function ask<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  let answer: Response
  let json: unknown
  try {
    answer = await fetch(`api/${path}`, { ...(body !== undefined && post), ...(signal && { signal }) })
    json = await answer.json()
  } catch (error) {
    throw isAborted(error) ? error : new Error(UNREACHABLE, { cause: error })
  }
  if (answer.ok) return json as T
  throw new RefusedRequest(json as StudioRefusal)
}

/** What an answer is like while it is waited for: the one before stays, so that the page does not flicker. */
interface Answer<T> {
  readonly value: T | undefined
  readonly failure: Error | undefined
}

/** One record by what the mapping of `revision` makes of it. */
export function useRecord(number: number | undefined, revision: string): Answer<StudioRecord> {
  return useAnswer(number === undefined ? undefined : `records/${number}`, revision)
}

/** The rows that fit, by what the mapping of `revision` makes of them. */
export function useRows<Name extends keyof Tables>(
  table: Name,
  query: Tables[Name][0],
  revision: string,
): Answer<Tables[Name][1]> {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') params.set(name, String(value))
  return useAnswer(`${table}?${params}`, revision)
}

/** Columns of a table, as the text of a mapping reads their cells. */
export function useColumns(query: ColumnQuery): Answer<ColumnTable> {
  return useAnswer('columns', '', query)
}

/** Asks again when the question changes, or the mapping. */
function useAnswer<T>(path: string | undefined, revision: string, body?: object): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ value: undefined, failure: undefined })
  useEffect(() => {
    if (path === undefined) return
    const running = new AbortController()
    ask<T>(path, body, running.signal).then(
      (value) => setAnswer({ value, failure: undefined }),
      (failure) => isAborted(failure) || setAnswer({ value: undefined, failure }),
    )
    return () => running.abort()
  }, [path, revision, JSON.stringify(body)])
  return answer
}
