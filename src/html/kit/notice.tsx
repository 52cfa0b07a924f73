import type { ComponentChildren } from 'preact'

export type NoticeLevel = 'good' | 'note' | 'warning' | 'error'

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
