import type { RejectsPart } from '../../commands/report/report-data.ts'
import { plural } from '../../text/words.ts'
import { Code, Name } from '../kit/parts.tsx'
import { Some, Tally } from './lists.tsx'

/** What could not be taken, by reason, and the command that takes it once it is mended. */
export function RejectsSection({ parts }: { parts: readonly RejectsPart[] }) {
  return (
    <Some things={parts} most={12} one="input" name={({ input }) => input}>
      {(part) => <Input part={part} />}
    </Some>
  )
}

function Input({ part: { stage, total, file, reasons, mend } }: { part: RejectsPart }) {
  return (
    <>
      <p>
        {plural(total, 'record')} rejected by {stage}, in <Name text={file} most={120} />.
      </p>
      <Tally caption="Rejected records by reason." label="reason" unit="records" counts={reasons} />
      {mend !== undefined && (
        <>
          <p>Mend a copy, under the name that this command has; the command takes it in:</p>
          <Code text={mend.slice(0, 2000)} />
        </>
      )}
    </>
  )
}
