import { useRef } from 'preact/hooks'
import type { MappingFault } from '../../../studio/studio-data.ts'
import { number } from '../../../text/words.ts'
import { Name, shortName } from '../../kit/parts.tsx'
import { useAnswer } from '../api.ts'
import { RecordSides } from '../parts/record-sides.tsx'
import { hrefOf, replacePlace } from '../place.ts'
import { useShown, type ViewProps } from '../session.ts'

/** A path is shown whole: its end says which file it is. */
const LONGEST_PATH = 4096

/** The text of the mapping, and beside it a record that shows what each change does. */
export function MappingView({ params }: ViewProps) {
  const { moment, session } = useShown()
  const { mapping, model, fault, yaml, previewing } = moment
  const asked = params.get('record')
  const chosen = asked !== null && /^\d+$/.test(asked) ? Number(asked) : (model.events[0]?.record ?? 0)
  const record = useAnswer('record', { number: chosen }, model.revision)
  return (
    <div class="beside">
      <section aria-label="Text of the mapping">
        <label for="yaml">
          <Name text={mapping.path} most={LONGEST_PATH} />
        </label>
        <Editor text={yaml} fault={fault} busy={previewing} onInput={(text) => session.type(text)} />
        <p class="soft small">Ctrl+S or ⌘S saves. Tab leaves the text.</p>
      </section>
      <section aria-labelledby="on-show">
        <h3 id="on-show">What it makes of record {number(chosen + 1)}</h3>
        <div class="line">
          <Step word="Previous" to={chosen - 1} />
          <Step word="Next" to={chosen + 1} />
          <a href={hrefOf('records', { record: String(chosen) })}>Find another record</a>
        </div>
        {fault !== null && <p class="fault">As the last text without a fault makes it:</p>}
        {record.value !== undefined && <RecordSides record={record.value} />}
        {record.failure !== undefined && <p class="fault">{record.failure.message}</p>}
      </section>
    </div>
  )
}

/** A button that goes to the record before or after. */
function Step({ word, to }: { word: string; to: number }) {
  const { records } = useShown().moment.model.counts
  const isThere = to >= 0 && to < records
  const go = () => isThere && replacePlace('mapping', { record: String(to) })
  return (
    <button type="button" aria-disabled={!isThere} onClick={go}>
      {word}
    </button>
  )
}

/** A textarea, labelled by the label of `yaml`. Tab leaves it; undo is the browser's. */
function Editor(props: {
  text: string
  fault: MappingFault | null
  busy: boolean
  onInput: (text: string) => void
}) {
  const { fault, busy } = props
  const area = useRef<HTMLTextAreaElement>(null)
  // A textarea has \n only: where the file has \r\n, saving puts them back.
  const text = props.text.replaceAll('\r\n', '\n')
  return (
    <>
      <textarea
        ref={area}
        id="yaml"
        value={text}
        rows={Math.min(Math.max(text.split('\n').length + 1, 16), 36)}
        wrap="off"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        aria-invalid={fault !== null}
        aria-describedby="yaml-state"
        onInput={({ currentTarget: { value } }) => props.onInput(value)}
      />
      <div id="yaml-state">
        {fault === null ? (
          <p class="soft">{busy ? 'Looking at it …' : 'No fault.'}</p>
        ) : (
          <Fault fault={fault} onLine={(line) => area.current && showLine(area.current, line)} />
        )}
      </div>
    </>
  )
}

function Fault({ fault, onLine }: { fault: MappingFault; onLine: (line: number) => void }) {
  const { line, message, hint } = fault
  return (
    <>
      <p class="fault">
        {line !== null && <strong>Line {line}: </strong>}
        {shortName(message, 1000)}
      </p>
      {hint !== null && <p>{shortName(hint, 1000)}</p>}
      {line !== null && (
        <button type="button" onClick={() => onLine(line)}>
          Go to line {line}
        </button>
      )}
    </>
  )
}

/** Selects a line and brings it into sight. */
function showLine(area: HTMLTextAreaElement, line: number): void {
  const lines = area.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0)
  area.focus()
  area.setSelectionRange(start, start + (lines[line - 1] ?? '').length)
  area.scrollTop = (area.scrollHeight / lines.length) * Math.max(line - 4, 0)
}
