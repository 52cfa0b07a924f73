import { useEffect, useState } from 'preact/hooks'
import type {
  ColumnQuery,
  ColumnTable,
  EventQuery,
  EventTablePage,
  PropertyQuery,
  PropertyTable,
  RecordList,
  RecordQuery,
  StudioRecord,
} from '../../studio/studio-data.ts'
import { api, isAborted } from './api.ts'

/** What an answer is like while it is waited for: the one before stays, so that the page does not flicker. */
export interface RecordAnswer<T> {
  readonly value: T | undefined
  readonly failure: Error | undefined
}

/** One record by what the mapping of `revision` makes of it. */
export function useRecord(number: number | undefined, revision: string): RecordAnswer<StudioRecord> {
  return useAnswer(
    number === undefined ? undefined : (signal) => api.record(number, signal),
    `${number} ${revision}`,
  )
}

/** The records that fit, in the order of the sample. */
export function useRecordList(query: RecordQuery, revision: string): RecordAnswer<RecordList> {
  return useAnswer((signal) => api.records(query, signal), `${JSON.stringify(query)} ${revision}`)
}

/** Names of events, searched among all of the sample. */
export function useEvents(query: EventQuery, revision: string): RecordAnswer<EventTablePage> {
  return useAnswer((signal) => api.events(query, signal), `${JSON.stringify(query)} ${revision}`)
}

/** Members, searched among all of the sample. */
export function useProperties(query: PropertyQuery, revision: string): RecordAnswer<PropertyTable> {
  return useAnswer((signal) => api.properties(query, signal), `${JSON.stringify(query)} ${revision}`)
}

/** Columns of a table, as the text of a mapping reads their cells. */
export function useColumns(query: ColumnQuery): RecordAnswer<ColumnTable> {
  return useAnswer((signal) => api.columns(query, signal), JSON.stringify(query))
}

/** Asks again when `key` changes. */
function useAnswer<T>(ask: ((signal: AbortSignal) => Promise<T>) | undefined, key: string): RecordAnswer<T> {
  const [answer, setAnswer] = useState<RecordAnswer<T>>({ value: undefined, failure: undefined })
  useEffect(() => {
    if (ask === undefined) return
    const running = new AbortController()
    ask(running.signal).then(
      (value) => setAnswer({ value, failure: undefined }),
      (failure) => isAborted(failure) || setAnswer({ value: undefined, failure }),
    )
    return () => running.abort()
  }, [key])
  return answer
}
