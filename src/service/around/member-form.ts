import { randomBytes } from 'node:crypto'
import type { AroundCohort } from '../../around/index.ts'
import type { FormBody } from '../api.ts'

/**
 * A file of distinct ids for a static cohort, as a form. It has two columns: the heading of one alone would be taken
 * for an id.
 */
export function memberForm({ name }: Pick<AroundCohort, 'name'>, members: readonly string[]): FormBody {
  const boundary = `posthaul-${randomBytes(16).toString('hex')}`
  const csv = ['distinct_id,n', ...members.map((id, i) => `"${id.replaceAll('"', '""')}",${i + 1}`)].join(
    '\n',
  )
  const fields = { name, is_static: 'true' }
  const parts = [
    ...Object.entries(fields).map(
      ([field, value]) => `Content-Disposition: form-data; name="${field}"\r\n\r\n${value}`,
    ),
    `Content-Disposition: form-data; name="csv"; filename="members.csv"\r\nContent-Type: text/csv\r\n\r\n${csv}\n`,
  ]
  const body = `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.from(body) }
}
