import type { RejectReason, RejectsPart } from '../../commands/report/report-data.ts'
import { number, plural } from '../../text/words.ts'
import { Code, Name } from '../kit/parts.tsx'
import { LongTable, right } from '../kit/table.tsx'
import { percent } from '../kit/words.ts'
import { Some } from './lists.tsx'

const MOST_REASONS = 20

/** What could not be taken, by reason, with examples and the command that takes it once it is mended. */
export function RejectsSection({ parts }: { parts: readonly RejectsPart[] }) {
  return (
    <Some things={parts} most={12} one="input" name={({ input }) => input}>
      {(part) => <Input part={part} />}
    </Some>
  )
}

function Input({ part }: { part: RejectsPart }) {
  const more = part.reasons.length - MOST_REASONS
  const other = more > 0 ? ` ${plural(more, 'rarer reason')} not shown.` : ''
  return (
    <>
      <p>
        {plural(part.total, 'record')} rejected by {part.stage}.
        {part.file !== undefined && (
          <>
            {' '}
            {part.total === 1 ? 'It is' : 'They are'} in <Name text={part.file} most={120} />.
          </>
        )}
      </p>
      {part.reasons.length > 0 && (
        <LongTable
          what="reasons"
          caption={`Rejected records by reason.${other}`}
          columns={[{ label: 'reason' }, right('records'), right('share')]}
          rows={part.reasons
            .slice(0, MOST_REASONS)
            .map(({ reason, count }) => [reason, count, percent(count / part.total)])}
        />
      )}
      {part.reasons.slice(0, MOST_REASONS).map((reason) => (
        <Examples key={reason.reason} reason={reason} />
      ))}
      {part.mend !== undefined && (
        <>
          <p>Mend a copy, under the name that this command has; the command takes it in:</p>
          <Code text={part.mend.slice(0, 2000)} />
        </>
      )}
    </>
  )
}

function Examples({ reason }: { reason: RejectReason }) {
  if (reason.examples.length === 0) return null
  return (
    <details class="examples">
      <summary>
        {plural(reason.examples.length, 'example')} of <Name text={reason.reason} most={80} />
      </summary>
      {reason.examples.slice(0, 3).map(({ line, source, message, record }, at) => (
        <div key={at}>
          <p class="small soft">
            {source !== undefined && <Name text={source} most={120} />} line {number(line)}:{' '}
            <Name text={message} most={300} />
          </p>
          <Code text={record.slice(0, 600)} />
        </div>
      ))}
    </details>
  )
}
