import type { RequestSeen } from '../http/index.ts'
import type { Entry } from './entry.ts'

/** A request that is over, as a line. */
export function requestEntry(label: string, seen: RequestSeen): Entry {
  const { method, host, path, status, failure, bytesOut, bytesIn, ms, attempt } = seen
  const end = [...(status === undefined ? [] : [status]), ...(failure === undefined ? [] : [failure])].join(
    ' ',
  )
  const again = attempt === undefined || attempt === 1 ? '' : `, attempt ${attempt}`
  const message = `${method} ${host}${path}: ${end}, ${bytesOut} B out, ${bytesIn} B in, ${ms} ms${again}`
  const members = {
    method,
    host,
    path,
    status: status ?? null,
    failure: failure ?? null,
    bytes_out: bytesOut,
    bytes_in: bytesIn,
    milliseconds: ms,
    attempt: attempt ?? null,
  }
  return { event: 'request', level: 'debug', label, message, members }
}
