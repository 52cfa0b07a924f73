import type { ComponentChildren } from 'preact'
import { visible } from '../../text/visible.ts'
import { number } from '../../text/words.ts'

const MOST = 60
const MOST_IN_TITLE = 1000

/**
 * A name that came with the data (an event, a property, a file), which may be anything. Control characters and lone
 * surrogates are shown as what they are; a long name is cut to `most` letters, with the whole in its title.
 */
export function Name({ text, most = MOST }: { text: string; most?: number }) {
  const short = shortName(text, most)
  const whole = shortName(text, MOST_IN_TITLE)
  return (
    <bdi class="name" title={short === whole ? undefined : whole}>
      {short === '' ? <em class="soft">(empty)</em> : short}
    </bdi>
  )
}

/** The first of several names, a line each. */
export function NameLines({ names, most, none }: { names: readonly string[]; most: number; none: string }) {
  if (names.length === 0) return <span class="soft">{none}</span>
  return (
    <>
      {names.slice(0, most).map((name) => (
        <div key={name}>
          <Name text={name} />
        </div>
      ))}
      {names.length > most && <div class="soft small">and {number(names.length - most)} more</div>}
    </>
  )
}

/** The same as plain text, for titles and attributes. */
export function shortName(text: string, most: number = MOST): string {
  // Cut before it is looked at, since a name can have megabytes, and after, since one letter can be shown by nine.
  const letters = [...visible([...text.slice(0, most * 2 + 2)].slice(0, most + 1).join(''))]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('')
}

type NoticeLevel = 'good' | 'note' | 'warning' | 'error'

const MARKS: Readonly<Record<NoticeLevel, readonly [mark: string, word: string]>> = {
  good: ['✓', 'Good'],
  note: ['i', 'Note'],
  warning: ['!', 'Warning'],
  error: ['✕', 'Error'],
}

/** Something to know. Its level is told by a mark and a word, not by the colour alone. */
export function Notice(props: {
  level: NoticeLevel
  title: ComponentChildren
  children?: ComponentChildren
}) {
  const [mark, word] = MARKS[props.level]
  return (
    <div class={`notice ${props.level}`}>
      <span class="mark" aria-hidden="true">
        {mark}
      </span>
      <div>
        <p class="title">
          <span class="unseen">{word}: </span>
          {props.title}
        </p>
        {props.children}
      </div>
    </div>
  )
}

export interface Figure {
  readonly label: string
  /** A number is a count, and gets its separators. */
  readonly value: number | string | undefined
  /** A sentence that says what it means. */
  readonly meaning?: string
  readonly level?: NoticeLevel | undefined
}

/** A row of big numbers, each with its label. What has no value is left out. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ label, value, meaning, level = '' }) =>
        value === undefined ? null : (
          <div class={`figure ${level}`} key={label}>
            <dt>{label}</dt>
            <dd class="value">{typeof value === 'number' ? number(value) : value}</dd>
            {meaning !== undefined && <dd class="meaning">{meaning}</dd>}
          </div>
        ),
      )}
    </dl>
  )
}

/** Names and their values, a line each. What has no value is left out; a text may be any that came with the data. */
export function FactList({
  facts,
}: {
  facts: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[]
}) {
  return (
    <dl class="facts">
      {facts.map(([name, value], at) =>
        value === undefined || value === null || value === false ? null : (
          <div key={at}>
            <dt>{shown(name)}</dt>
            <dd>{shown(value)}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

function shown(value: ComponentChildren) {
  return typeof value === 'string' ? <Name text={value} most={200} /> : value
}

/** Commands, JSON or YAML as they are typed: line ends are kept, other control characters are shown. */
export function Code({ text }: { text: string }) {
  return (
    <pre class="code">
      <code>{text.split('\n').map(visible).join('\n')}</code>
    </pre>
  )
}
