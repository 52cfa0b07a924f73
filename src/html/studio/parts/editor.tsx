import { useLayoutEffect, useRef } from 'preact/hooks'
import type { MappingFault } from '../../../studio/studio-data.ts'
import { shortName } from '../../kit/name.tsx'

/** A textarea with line numbers, labelled by the label of `yaml`. Tab leaves it; undo is the browser's. */
export function Editor(props: {
  text: string
  fault: MappingFault | null
  busy: boolean
  onInput: (text: string) => void
}) {
  const { fault, busy } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  // A textarea has \n only: a file with \r\n keeps them, so that saving does not change each line.
  const isWindows = props.text.includes('\r\n')
  const text = props.text.replaceAll('\r\n', '\n')
  const lines = text.split('\n').length
  const follow = (): void => {
    if (gutter.current && area.current) gutter.current.scrollTop = area.current.scrollTop
  }
  // A text that got shorter scrolls the textarea without an event.
  useLayoutEffect(follow)
  return (
    <>
      <div class="editor">
        <div class="gutter" ref={gutter} aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => (
            <div key={index} class={fault?.line === index + 1 ? 'at-fault' : undefined}>
              {index + 1}
            </div>
          ))}
        </div>
        <textarea
          ref={area}
          id="yaml"
          value={text}
          rows={Math.min(Math.max(lines + 1, 16), 36)}
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          aria-invalid={fault !== null}
          aria-describedby="yaml-state"
          onInput={({ currentTarget: { value } }) =>
            props.onInput(isWindows ? value.replaceAll('\n', '\r\n') : value)
          }
          onScroll={follow}
        />
      </div>
      <div id="yaml-state" class="editor-state">
        {fault === null ? (
          <p class="fine">{busy ? 'Looking at it …' : 'No fault.'}</p>
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
