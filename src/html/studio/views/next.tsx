import { useState } from 'preact/hooks'
import { Notice } from '../../kit/parts.tsx'
import { isUnsaved, useShown } from '../session.ts'

/** What comes once the mapping is right: each command, to be copied into a terminal. */
export function NextView() {
  const { moment } = useShown()
  const { next, setup, fault } = moment
  const open = (setup?.questions.length ?? 0) + (setup?.missing.length ?? 0)
  return (
    <>
      {(isUnsaved(moment) || fault !== null) && (
        <Notice level="warning" title="The commands read the mapping from its file: save it first" />
      )}
      {open > 0 && (
        <p>
          <a href="#setup">Some questions are open</a>: until you answer, the mapping says the likeliest.
        </p>
      )}
      <p>Run these in a terminal, in the folder in which posthaul studio was started, one after the other.</p>
      <ol class="steps">
        {next.map(({ line, what }) => (
          <li key={line}>
            <p>{what}</p>
            <pre class="code">{line}</pre>
            <Copy line={line} />
          </li>
        ))}
      </ol>
    </>
  )
}

function Copy({ line }: { line: string }) {
  const [said, setSaid] = useState('Copy')
  const copy = (): void =>
    void navigator.clipboard.writeText(line).then(
      () => setSaid('Copied'),
      () => setSaid('Select the line, and copy it by hand'),
    )
  return (
    <button type="button" aria-label={`${said}: ${line}`} onClick={copy}>
      {said}
    </button>
  )
}
