import { number } from '../../text/index.ts'
import type { NoticeLevel } from './notice.tsx'

export interface Figure {
  readonly label: string
  /** A number is a count, and gets its separators. */
  readonly value: number | string
  /** A sentence that says what it means. */
  readonly meaning?: string
  readonly level?: NoticeLevel
}

/** A row of big numbers, each with its label. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl class="figures">
      {figures.map((figure) => (
        <div class={`figure ${figure.level ?? ''}`} key={figure.label}>
          <dt>{figure.label}</dt>
          <dd class="value">{typeof figure.value === 'number' ? number(figure.value) : figure.value}</dd>
          {figure.meaning !== undefined && <dd class="meaning">{figure.meaning}</dd>}
        </div>
      ))}
    </dl>
  )
}
